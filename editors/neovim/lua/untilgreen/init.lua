--- What users call. Nothing here has to be called: the plugin works as it is.

local M = {}

--- Lay options over the defaults. Nothing is started.
---@param options? untilgreen.Options
function M.setup(options)
  require("untilgreen.config").merge(options)
end

--- What is going on, for a statusline; empty when there is nothing to say.
---@return string
function M.status()
  return require("untilgreen.status").line()
end

--- As `:Untilgreen solve`, with `what` one of `test`, `file` and `all`.
---@param what? "test"|"file"|"all"
---@param note? string What the solver should know, in words.
function M.solve(what, note)
  require("untilgreen.targets").start("solve", what, note)
end

--- As `:Untilgreen test`.
---@param what? "test"|"file"|"all"
function M.test(what)
  require("untilgreen.targets").start("test", what)
end

function M.stop()
  require("untilgreen.commands").run({ "stop" })
end

---@param job? string The newest one that waits, when none is named.
function M.review(job)
  require("untilgreen.commands").run({ "review", job })
end

return M
