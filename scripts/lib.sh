# shellcheck shell=bash
# What the scripts here share. Sourced, never run.

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
CACHE=$ROOT/.cache
LOGS=$CACHE/log
# Ordinary users often lack the directories where dockerd and mmdebstrap's helpers live.
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin
mkdir -p "$LOGS"

say() { printf '%s\n' "$*" >&2; }

die() {
    say "error: $1"
    shift
    local line
    for line in "$@"; do say "  $line"; done
    exit 1
}

has() { command -v "$1" >/dev/null 2>&1; }

# Can this user do things as root, either directly or through sudo?
can_be_root() {
    [[ $(id -u) == 0 ]] && return 0
    has sudo || return 1
    sudo -n true 2>/dev/null || [[ -t 0 && -t 2 ]]
}

as_root() {
    if [[ $(id -u) == 0 ]]; then "$@"; else sudo "$@"; fi
}

# step NAME LOG COMMAND...: run a slow command with its output in a log file; say how long it took,
# or show the end of the log. No open file is handed on: mmdebstrap fails when too many low numbers are taken.
step() {
    local name=$1 log=$LOGS/$2 started=$SECONDS
    shift 2
    if "$@" >"$log" 2>&1 </dev/null 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-; then
        say "$name: done in $((SECONDS - started)) s"
        return
    fi
    say "$name: FAILED after $((SECONDS - started)) s; the last lines of ${log#"$ROOT"/}:"
    tail -n 20 "$log" | sed 's/^/  | /' >&2
    return 1
}

# install_packages NAME PACKAGE...: with apt, as root. Fails when this machine or user cannot do that.
install_packages() {
    local name=$1
    shift
    has apt-get && can_be_root || return 1
    say "$name: installing $* …"
    refresh_package_lists
    step "$name" "apt-$1.log" as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y --no-install-recommends -o DPkg::Lock::Timeout=120 "$@"
}

# Once per run, and only when something is missing.
LISTS_ARE_FRESH=
refresh_package_lists() {
    [[ -z $LISTS_ARE_FRESH ]] || return 0
    step "package lists" apt-update.log as_root apt-get update || say "package lists: going on with those that are there"
    LISTS_ARE_FRESH=yes
}

# Hold the lock of that name until the script ends (file descriptor 7).
hold_lock() {
    has flock || return 0
    exec 7>"$CACHE/$1.lock"
    flock -n 7 && return 0
    say "waiting for another run in this directory to finish its $1"
    flock 7
}

# shellcheck disable=SC2120
engine_answers() { "${PYTHON:-$ROOT/.venv/bin/python}" "$ROOT/scripts/engine_answers.py" "$@"; }
