--- A server that ended although nobody asked it to: it is started again for the files that it knew.

local client = require("untilgreen.client")

local M = {}

-- A server that dies again and again is not started for ever.
local MOST, WITHIN_MS = 3, 180000
---@type integer[] When each was.
local crashes = {}

---@class untilgreen.Ended
---@field id integer
---@field has_run boolean Whether it has ever answered.
---@field root? string
---@field buffers integer[] The files that it knew.

---@param code integer
---@param signal integer
---@param ended untilgreen.Ended
function M.exited(code, signal, ended)
  require("untilgreen.jobs").forget(ended.id)
  require("untilgreen.progress").forget(ended.id)
  require("untilgreen.status").forget(ended.id)
  local was_asked_to = (code == 0 and signal == 0) or signal == 15 or code == 143
  if was_asked_to or vim.v.exiting ~= vim.NIL then
    return
  end
  local say = require("untilgreen.say")
  if not ended.has_run then
    return say.warn("the server does not start; see :checkhealth untilgreen")
  end
  if M.count() > MOST then
    return say.warn("the server ended again and was not started again; see :Untilgreen log and :LspLog")
  end
  say.warn("the server ended; it is started again")
  M.when_gone(ended.id, function()
    M.revive(ended)
  end)
end

--- With this one, how many there were lately.
---@return integer
function M.count()
  local now = vim.uv.now()
  crashes = vim.tbl_filter(function(at)
    return now - at < WITHIN_MS
  end, crashes)
  table.insert(crashes, now)
  return #crashes
end

---@param ended untilgreen.Ended
function M.revive(ended)
  local known = vim.tbl_filter(vim.api.nvim_buf_is_loaded, ended.buffers)
  for _, buffer in ipairs(known) do
    client.start_at(ended.root, buffer)
  end
  if #known == 0 then
    client.start_at(ended.root)
  end
end

--- Neovim forgets a client only after it has told of its end; before, it would take it for a running one.
---@param client_id integer
---@param done fun()
function M.when_gone(client_id, done)
  if vim.lsp.get_client_by_id(client_id) == nil then
    return done()
  end
  vim.defer_fn(function()
    M.when_gone(client_id, done)
  end, 20)
end

return M
