--- Tells the user something, in one line where Neovim would otherwise ask for ENTER; the log has all of it.

local log = require("untilgreen.log")

local M = {}

-- What Neovim keeps free at the end of the last line.
local RESERVED = 12

---@param message string
---@param level? integer
---@param hint? string What to do next; it is seen however long the message is.
function M.say(message, level, hint)
  local text = message:gsub("^untilgreen: ", "")
  log.add(hint and ("%s %s"):format(text, hint) or text)
  text = "untilgreen: " .. text
  if M.is_plain() then
    text = M.fitted(text, vim.o.columns - RESERVED, hint)
  elseif hint then
    text = ("%s\n%s"):format(text, hint)
  end
  vim.notify(text, level or vim.log.levels.INFO)
end

---@param message string
function M.warn(message)
  M.say(message, vim.log.levels.WARN)
end

--- Whether `vim.notify` is Neovim's own; what replaces it shows long messages well.
---@return boolean
function M.is_plain()
  local source = debug.getinfo(vim.notify, "S").source
  -- Neovim 0.12 does not say where its own functions come from.
  return source == "?" or source:find("vim/_", 1, true) ~= nil
end

---@param text string
---@param width integer
---@param hint? string
---@return string
function M.fitted(text, width, hint)
  local line = vim.trim((text:gsub("%s+", " ")))
  local whole = hint and ("%s %s"):format(line, hint) or line
  if vim.fn.strdisplaywidth(whole) <= width then
    return whole
  end
  local rest = " … " .. (hint or ":Untilgreen log")
  local room = math.max(20, width - vim.fn.strdisplaywidth(rest))
  return vim.fn.strcharpart(line, 0, room) .. rest
end

return M
