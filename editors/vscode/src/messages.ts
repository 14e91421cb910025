// Mirrors server/untilgreen/lsp/ext.py; docs/lsp-extensions.md tells of each, and a test compares the three.

export const TEST = "untilgreen.test";
export const SOLVE = "untilgreen.solve";
export const STOP = "untilgreen.stop";
export const APPLY = "untilgreen.apply";
export const DISCARD = "untilgreen.discard";
export const REVIEW = "untilgreen.review";
export const UNDO = "untilgreen.undo";
export const HISTORY = "untilgreen.history";
export const DOCTOR = "untilgreen.doctor";
export const WATCH = "untilgreen.watch";

export const EVENT = "untilgreen/event";
export const STATUS = "untilgreen/status";
export const SAVE = "untilgreen/save";
export const SERVER_STATUS = "experimental/serverStatus";
export const DISCOVER_TEST = "experimental/discoverTest";
export const DISCOVERED_TESTS = "experimental/discoveredTests";
export const RUN_TEST = "experimental/runTest";
export const END_RUN_TEST = "experimental/endRunTest";
export const ABORT_RUN_TEST = "experimental/abortRunTest";
export const CHANGE_TEST_STATE = "experimental/changeTestState";

export const QUICK_FIX = "quickfix.untilgreen";
export const WHOLE_FILE = "source.untilgreen";

/** Of virtual documents: `untilgreen:/JOB/ATTEMPT/before|after/PATH`. */
export const SCHEME = "untilgreen";

/** `untilgreen.test`: run tests in the sandbox and see failures as diagnostics. */
export interface RunArguments {
  uri: string;
  tests?: string[];
}

/** `untilgreen.solve`: loop until these tests pass and get the fix as one edit. */
export interface SolveArguments {
  uri: string;
  tests?: string[];
  note?: string;
}

/** `untilgreen.stop`: stop one job, or all of them when none is named. */
export interface StopArguments {
  job?: string;
}

/** `untilgreen.apply`: write a verified fix, or a part or a rival of it. */
export interface ApplyArguments {
  job: string;
  rival?: number;
  files?: string[];
  taken?: boolean;
}

/** `untilgreen.discard`: a fix is not wanted; it is no longer offered. */
export interface DiscardArguments {
  job: string;
}

/** `untilgreen.review`: look at a fix, at a rival, or at an earlier attempt. */
export interface ReviewArguments {
  job: string;
  rival?: number;
  attempt?: number;
}

/** `untilgreen.undo`: take back an applied fix, the last one when none is named. */
export interface UndoArguments {
  uri: string;
  job?: string;
  force?: boolean;
}

/** `untilgreen.history`: the newest jobs of a workspace folder, or one's way. */
export interface HistoryArguments {
  uri: string;
  most?: number;
  job?: string;
  events?: boolean;
}

/** `untilgreen.doctor`: is everything here that a solve needs? */
export interface DoctorArguments {
  uri: string;
}

/** `untilgreen.watch`: switch watch mode, or ask for it when no mode is named. */
export interface WatchArguments {
  uri: string;
  mode?: string;
}

/** The answer to commands that start something. */
export interface Started {
  job?: string | null;
  reason?: string;
}

/** One file of a fix. */
export interface ReviewedFile {
  path: string;
  uri: string;
  before: string;
  after: string;
}

/** The answer to `untilgreen.review`. */
export interface Reviewed {
  job?: string | null;
  reason?: string;
  attempt?: string;
  files?: ReviewedFile[];
  diff?: string;
  findings?: Finding[];
  rivals?: number;
  attempts?: ReviewedAttempt[];
  difference?: string;
}

/** An attempt that can be looked at. */
export interface ReviewedAttempt {
  n: number;
  hypothesis: string;
}

// What the server writes as plain objects.

export interface Finding {
  path: string;
  line: number;
  rule: string;
  reason: string;
}

/** `untilgreen/event`: `{v, job, seq, t, type, …}`; what else there is depends on the type. */
export interface Event {
  v: number;
  job: string;
  seq: number;
  t: number;
  type: string;
  [name: string]: unknown;
}

/** `untilgreen/status`. */
export interface Status {
  health: "ok" | "warning" | "error";
  quiescent: boolean;
  message: string;
  sandbox: string;
  solver: string;
  model: string;
  folders: FolderStatus[];
  jobs: string[];
  fixes: WaitingFix[];
  watch: WatchStatus[];
}

/** One workspace folder, by its own settings. */
export interface FolderStatus {
  folder: string;
  sandbox: string;
  solver: string;
  model: string;
}

/** A fix that waits for the user. */
export interface WaitingFix {
  job: string;
  folder: string;
  reason: string;
}

/** The answer to `untilgreen.watch`. */
export interface Watching {
  mode?: WatchMode;
  reason?: string;
}

/** One watched folder. */
export interface WatchStatus {
  folder: string;
  mode: WatchMode;
  message: string;
}

export type WatchMode = "off" | "diagnose" | "suggest" | "fix";

export interface Check {
  name: string;
  state: string;
  detail: string;
  remedy: string;
}

export interface Diagnosis {
  canSolve: boolean;
  checks: Check[];
}

export interface Position {
  line: number;
  character: number;
}

/** One item of the test tree, in rust-analyzer's shape. */
export interface TreeItem {
  id: string;
  label: string;
  kind: "package" | "module" | "test";
  canResolveChildren: boolean;
  parent: string | null;
  textDocument: { uri: string } | null;
  range: { start: Position; end: Position } | null;
}

/** `experimental/discoveredTests`, and the answer to `experimental/discoverTest`. */
export interface Discovered {
  tests: TreeItem[];
  scope: string[] | null;
  scopeFile: { uri: string }[] | null;
}

/** `experimental/changeTestState`. */
export interface TestState {
  testId: string;
  job?: string;
  state: {
    tag: "passed" | "failed" | "skipped" | "enqueued";
    message?: string;
    seconds?: number;
    expected?: string;
    actual?: string;
    line?: number;
  };
}
