--- A window below with a text that is not a file; `q` closes it.

local M = {}

---@param name string The buffer's; opening it again shows the same one.
---@param lines string[]
---@return integer buffer
function M.open(name, lines)
  local buffer = vim.fn.bufexists(name) == 1 and vim.fn.bufadd(name) or M.new(name)
  local window = vim.fn.bufwinid(buffer)
  if window > 0 then
    vim.api.nvim_set_current_win(window)
  else
    vim.cmd("botright 12split")
    vim.api.nvim_win_set_buf(0, buffer)
    vim.wo[0][0].wrap = false
    vim.wo[0][0].number = false
    vim.wo[0][0].relativenumber = false
    vim.wo[0][0].signcolumn = "no"
    vim.wo[0][0].spell = false
  end
  M.fill(buffer, lines)
  return buffer
end

--- Someone reads it again, by `:edit`.
---@param buffer integer
---@param name string
function M.read(buffer, name)
  M.dress(buffer)
  local job = name:match("^untilgreen://job/(.+)$")
  if name == "untilgreen://log" then
    require("untilgreen.log").fill(buffer)
  elseif name == "untilgreen://history" then
    require("untilgreen.history").open()
  elseif job then
    require("untilgreen.history").open_job(job)
  end
end

---@param buffer integer
---@param lines string[]
function M.fill(buffer, lines)
  vim.bo[buffer].modifiable = true
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  vim.bo[buffer].modifiable = false
  vim.bo[buffer].modified = false
end

---@param name string
---@return integer buffer
function M.new(name)
  local buffer = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_name(buffer, name)
  M.dress(buffer)
  return buffer
end

---@param buffer integer
function M.dress(buffer)
  vim.bo[buffer].buftype = "nofile"
  vim.bo[buffer].bufhidden = "hide"
  vim.bo[buffer].swapfile = false
  vim.bo[buffer].buflisted = false
  vim.keymap.set("n", "q", M.close, { buffer = buffer, nowait = true, desc = "Close" })
end

--- The last window of Neovim stays, with nothing in it.
function M.close()
  if not pcall(vim.cmd.close) then
    vim.cmd.enew()
  end
end

return M
