"""The scripted server of the law of keystrokes, with a watch mode that is not as patient as for people."""

from __future__ import annotations

from lsp import scripted_box
from untilgreen.watching import watch
from untilgreen.watching.pace import Pace

QUICK = Pace(settle=0.02, calm=0.1, idle=0.08, again=0.05, fixes=3)


def main() -> None:
    assert "pace_of" in vars(watch), "watch mode takes its pace from somewhere else by now"
    vars(watch)["pace_of"] = lambda *_: QUICK
    scripted_box.main()


if __name__ == "__main__":
    main()
