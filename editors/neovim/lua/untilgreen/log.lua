--- What happened in this session, newest last, and a buffer that follows it.

local M = {}

local MOST = 5000
local NAME = "untilgreen://log"

---@type string[]
local lines = {}
---@type integer?
local buffer
local last = ""

--- The end of a job's progress and the message about it are often the same.
---@param text string
function M.add(text)
  if vim.trim(text) == last then
    return
  end
  last = vim.trim(text)
  local added = {}
  for n, line in ipairs(vim.split(vim.trim(text), "\n")) do
    added[n] = (n == 1 and os.date("%H:%M:%S ") or "         ") .. line
  end
  vim.list_extend(lines, added)
  if #lines > MOST then
    lines = vim.list_slice(lines, #lines - MOST + 1)
  end
  if buffer and vim.api.nvim_buf_is_loaded(buffer) then
    M.append(added)
  end
end

--- Open it, or go to it. With a job, show the way of that one instead.
---@param job? string
function M.open(job)
  if job then
    return require("untilgreen.history").open_job(job)
  end
  local pane = require("untilgreen.pane")
  buffer = pane.open(NAME, lines)
  vim.api.nvim_win_set_cursor(0, { vim.api.nvim_buf_line_count(buffer), 0 })
end

--- Show it in a buffer, and follow it there.
---@param wanted integer
function M.fill(wanted)
  buffer = wanted
  require("untilgreen.pane").fill(buffer, lines)
end

---@return string[]
function M.lines()
  return lines
end

--- Windows that stand on the last line go along; others are being read.
---@param added string[]
function M.append(added)
  local count = vim.api.nvim_buf_line_count(buffer)
  local is_empty = count == 1 and vim.api.nvim_buf_get_lines(buffer, 0, 1, false)[1] == ""
  local following = vim.tbl_filter(function(window)
    return vim.api.nvim_win_get_cursor(window)[1] == count
  end, vim.fn.win_findbuf(buffer))
  vim.bo[buffer].modifiable = true
  vim.api.nvim_buf_set_lines(buffer, is_empty and 0 or count, -1, false, added)
  vim.bo[buffer].modifiable = false
  for _, window in ipairs(following) do
    vim.api.nvim_win_set_cursor(window, { vim.api.nvim_buf_line_count(buffer), 0 })
  end
end

return M
