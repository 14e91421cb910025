--- Progress of jobs, as `LspProgress` tells of it: for the log, the status, and a small window.

local jobs = require("untilgreen.jobs")
local log = require("untilgreen.log")

local M = {}

local PREFIX = "untilgreen-"
local LINGER_MS = 3000

---@class untilgreen.Progress
---@field client integer
---@field title string
---@field message string

---@type table<string, untilgreen.Progress>
local shown = {}
local is_listening = false
---@type integer?
local window

function M.listen()
  if is_listening then
    return
  end
  is_listening = true
  local group = vim.api.nvim_create_augroup("untilgreen.progress", {})
  -- A window belongs to one tab, and the user goes to another.
  vim.api.nvim_create_autocmd("TabEnter", { group = group, callback = vim.schedule_wrap(M.draw) })
  vim.api.nvim_create_autocmd("LspProgress", {
    group = group,
    callback = function(event)
      local client = vim.lsp.get_client_by_id(event.data.client_id)
      if client and client.name == "untilgreen" then
        M.told(client.id, event.data.params.token, event.data.params.value)
      end
    end,
  })
end

---@param client integer
---@param token string
---@param value table
function M.told(client, token, value)
  local id = tostring(token)
  local job = jobs.get(id:sub(#PREFIX + 1))
  if value.kind == "begin" then
    shown[id] = { client = client, title = value.title, message = value.message or "" }
    log.add(value.title)
  elseif shown[id] then
    shown[id].message = value.message or shown[id].message
  end
  if value.message then
    log.add("  " .. value.message)
  end
  if job and job.doing then
    job.doing = value.message or job.doing
  end
  if value.kind == "end" then
    M.ended(id, job, value.message)
  end
  require("untilgreen.status").changed()
  M.draw()
end

---@param id string
---@param job? untilgreen.Job
---@param message? string
function M.ended(id, job, message)
  local last = shown[id]
  shown[id] = nil
  if job then
    require("untilgreen.results").ended(job)
  end
  if last and message and next(shown) == nil then
    M.linger(last.title, message)
  end
end

--- What runs now, in a line each.
---@return string[]
function M.lines()
  local lines = {}
  for _, one in vim.spairs(shown) do
    table.insert(lines, one.message ~= "" and ("%s · %s"):format(one.title, one.message) or one.title)
  end
  return lines
end

---@param client integer
function M.forget(client)
  for id, one in pairs(shown) do
    if one.client == client then
      shown[id] = nil
    end
  end
  M.draw()
end

function M.draw()
  if next(shown) == nil then
    return M.close()
  end
  if not M.is_wanted() then
    return
  end
  local lines = {}
  for _, one in vim.spairs(shown) do
    table.insert(lines, one.title)
    if one.message ~= "" then
      table.insert(lines, "  " .. one.message)
    end
  end
  M.show(lines)
end

--- The end of the last job stays for a moment.
---@param title string
---@param message string
function M.linger(title, message)
  if not M.is_wanted() then
    return
  end
  vim.schedule(function()
    M.show({ title, "  " .. message })
    local mine = window
    vim.defer_fn(function()
      if window == mine and next(shown) == nil then
        M.close()
      end
    end, LINGER_MS)
  end)
end

--- Something else may show it: a statusline that asks for it, or a plugin for progress.
---@return boolean
function M.is_wanted()
  local wish = require("untilgreen.config").get().progress
  if wish ~= "auto" then
    return wish == "float"
  end
  return not (require("untilgreen.status").is_shown() or package.loaded["fidget"] or package.loaded["noice"])
end

---@param lines string[]
function M.show(lines)
  -- In the window of the command line Neovim lets nobody open another one.
  if vim.fn.getcmdwintype() ~= "" then
    return
  end
  local most = math.max(20, math.floor(vim.o.columns * 0.7))
  local width = 1
  for n, line in ipairs(lines) do
    lines[n] = vim.fn.strchars(line) > most and vim.fn.strcharpart(line, 0, most - 1) .. "…" or line
    width = math.max(width, vim.fn.strdisplaywidth(lines[n]))
  end
  local place = {
    relative = "editor",
    anchor = "SE",
    row = vim.o.lines - vim.o.cmdheight - 1,
    col = vim.o.columns,
    width = width,
    height = #lines,
    style = "minimal",
    focusable = false,
    zindex = 40,
  }
  local here = vim.api.nvim_get_current_tabpage()
  if window and vim.api.nvim_win_is_valid(window) and vim.api.nvim_win_get_tabpage(window) == here then
    vim.api.nvim_win_set_config(window, place)
  else
    M.close()
    local buffer = vim.api.nvim_create_buf(false, true)
    vim.bo[buffer].bufhidden = "wipe"
    window = vim.api.nvim_open_win(buffer, false, vim.tbl_extend("force", place, { noautocmd = true }))
    vim.wo[window].winblend = 0
  end
  vim.api.nvim_buf_set_lines(vim.api.nvim_win_get_buf(window), 0, -1, false, lines)
end

function M.close()
  if window and vim.api.nvim_win_is_valid(window) and not pcall(vim.api.nvim_win_close, window, true) then
    return
  end
  window = nil
end

return M
