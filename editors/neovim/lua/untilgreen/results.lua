--- Failing tests of the last job, in the quickfix list.

local messages = require("untilgreen.messages")

local M = {}

local TITLE = "untilgreen"

---@param job untilgreen.Job
function M.ended(job)
  local was_stopped = job.verdict == nil or job.verdict.kind == "stopped"
  -- What runs because a file was saved takes no list from under the user's fingers.
  local was_asked_for = job.cause == messages.TEST or job.cause == messages.SOLVE
  if was_stopped or not was_asked_for or not require("untilgreen.config").get().quickfix then
    return
  end
  local items = M.items(job.client)
  -- A list of ours gives way to the next one; a list of the user's stays one `:colder` away.
  local mine = vim.fn.getqflist({ title = 0 }).title == TITLE
  if #items > 0 or mine then
    vim.fn.setqflist({}, mine and "r" or " ", { title = TITLE, items = items })
  end
end

---@param client_id integer
---@return vim.quickfix.entry[]
function M.items(client_id)
  local namespace = vim.lsp.diagnostic.get_namespace(client_id)
  local failures = vim.diagnostic.get(nil, { namespace = namespace, severity = vim.diagnostic.severity.ERROR })
  return vim.diagnostic.toqflist(failures)
end

return M
