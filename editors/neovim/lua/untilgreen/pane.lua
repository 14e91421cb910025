--- A window below with a text that is not a file; `q` closes it.

local M = {}

---@param name string The buffer's; opening it again shows the same one.
---@param lines string[]
---@return integer buffer
function M.open(name, lines)
  local buffer = vim.fn.bufnr("^" .. vim.fn.escape(name, "[]*?{}\\,^$~") .. "$")
  local window = buffer > 0 and vim.fn.bufwinid(buffer) or -1
  if window > 0 then
    vim.api.nvim_set_current_win(window)
  else
    if buffer < 0 then
      buffer = M.new(name)
    end
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
  vim.bo[buffer].bufhidden = "hide"
  vim.bo[buffer].swapfile = false
  vim.keymap.set("n", "q", "<Cmd>close<CR>", { buffer = buffer, nowait = true, desc = "Close" })
  return buffer
end

return M
