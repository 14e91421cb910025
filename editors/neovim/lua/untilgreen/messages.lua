--- The server's own commands and messages. Mirrors server/untilgreen/lsp/ext.py; a test compares the two.
--- docs/lsp-extensions.md tells of each.
return {
  TEST = "untilgreen.test",
  SOLVE = "untilgreen.solve",
  STOP = "untilgreen.stop",
  APPLY = "untilgreen.apply",
  DISCARD = "untilgreen.discard",
  REVIEW = "untilgreen.review",
  UNDO = "untilgreen.undo",
  HISTORY = "untilgreen.history",
  DOCTOR = "untilgreen.doctor",
  WATCH = "untilgreen.watch",

  EVENT = "untilgreen/event",
  STATUS = "untilgreen/status",
  SAVE = "untilgreen/save",

  QUICK_FIX = "quickfix.untilgreen",
  WHOLE_FILE = "source.untilgreen",

  SCHEME = "untilgreen",
}
