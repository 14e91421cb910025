--- How things stand, in a few words for a statusline.

local M = {}

---@type table<integer, table> The last `untilgreen/status` of each server.
local told = {}
---@type table<integer, string> The version of each server.
local versions = {}
local is_shown = false

---@param client integer
---@param version string
function M.met(client, version)
  versions[client] = version
end

---@param client integer
---@return string
function M.version(client)
  return versions[client] or "unknown"
end

---@param client integer
---@param status table
function M.told(client, status)
  told[client] = status
  M.changed()
end

---@param client integer
function M.forget(client)
  told[client], versions[client] = nil, nil
  M.changed()
end

--- For statuslines that draw themselves only when told to.
function M.changed()
  vim.api.nvim_exec_autocmds("User", { pattern = "UntilgreenStatus", modeline = false })
end

--- What runs; else what waits, what watches, what is wrong; empty when there is nothing to say.
---@return string
function M.line()
  is_shown = true
  return M.text()
end

---@return string
function M.text()
  local running = require("untilgreen.progress").lines()
  if #running > 0 then
    return running[1] .. (#running > 1 and (" (+%d)"):format(#running - 1) or "")
  end
  if require("untilgreen.jobs").waiting() then
    return "untilgreen: a fix waits"
  end
  for _, status in vim.spairs(told) do
    if status.health ~= "ok" then
      return "untilgreen: " .. status.message
    end
    local folder = (status.watch or {})[1]
    if folder then
      local has_more = folder.message ~= "" and folder.message ~= "watching"
      local message = has_more and " · " .. folder.message or ""
      return ("untilgreen: watching (%s)%s"):format(folder.mode, message)
    end
  end
  return ""
end

--- Whether a statusline has ever asked.
---@return boolean
function M.is_shown()
  return is_shown
end

--- In one sentence for each server, for `:Untilgreen` alone.
---@return string[]
function M.sentences()
  local found = {}
  for client, status in vim.spairs(told) do
    local known = vim.lsp.get_client_by_id(client)
    local root = known and (known.root_dir or known.config.root_dir)
    table.insert(found, ("%s: %s"):format(root and vim.fs.basename(root) or "server", status.message))
  end
  return found
end

return M
