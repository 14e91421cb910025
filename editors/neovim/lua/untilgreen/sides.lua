--- Two windows side by side in a tab of their own, and the way back from there.

local M = {}

---@class untilgreen.Sides
---@field before integer Window.
---@field after integer Window.
---@field home {window: integer, tab: integer, buffer: integer} Where the user was.

---@return untilgreen.Sides
function M.open()
  local home = {
    window = vim.api.nvim_get_current_win(),
    tab = vim.api.nvim_get_current_tabpage(),
    buffer = vim.api.nvim_get_current_buf(),
  }
  M.new_tab()
  local before = vim.api.nvim_get_current_win()
  vim.cmd("rightbelow vsplit")
  return { before = before, after = vim.api.nvim_get_current_win(), home = home }
end

--- Go there; a window that was closed meanwhile is made again. False when both were.
---@param sides untilgreen.Sides
---@return boolean
function M.enter(sides)
  local has_before = vim.api.nvim_win_is_valid(sides.before)
  local has_after = vim.api.nvim_win_is_valid(sides.after)
  if not (has_before or has_after) then
    return false
  end
  vim.api.nvim_set_current_win(has_after and sides.after or sides.before)
  if not has_after then
    vim.cmd("rightbelow vsplit")
    sides.after = vim.api.nvim_get_current_win()
  elseif not has_before then
    vim.cmd("leftabove vsplit")
    sides.before = vim.api.nvim_get_current_win()
    vim.api.nvim_set_current_win(sides.after)
  end
  return true
end

--- Compare the two texts, and go to the first difference; false when one of them is not to be seen.
---@param sides untilgreen.Sides
---@return boolean
function M.compare(sides)
  if not (vim.api.nvim_win_is_valid(sides.before) and vim.api.nvim_win_is_valid(sides.after)) then
    return false
  end
  for _, window in ipairs({ sides.before, sides.after }) do
    vim.api.nvim_win_call(window, function()
      vim.cmd("diffthis")
    end)
  end
  vim.api.nvim_win_call(sides.after, function()
    vim.cmd("diffupdate")
    vim.cmd("silent! normal! gg]c")
  end)
  return true
end

--- Close both. Who looks at them comes back to where they were; who is elsewhere stays there.
---@param sides untilgreen.Sides
function M.close(sides)
  local ours = vim.tbl_filter(vim.api.nvim_win_is_valid, { sides.before, sides.after })
  if #ours == 0 then
    return
  end
  local home = sides.home
  if M.are_alone(ours, vim.api.nvim_list_wins()) then
    -- Neovim does not close its last window.
    M.new_tab()
    if vim.api.nvim_buf_is_loaded(home.buffer) then
      vim.api.nvim_win_set_buf(0, home.buffer)
    end
  elseif vim.tbl_contains(ours, vim.api.nvim_get_current_win()) then
    if vim.api.nvim_win_is_valid(home.window) then
      vim.api.nvim_set_current_win(home.window)
    elseif vim.api.nvim_tabpage_is_valid(home.tab) then
      vim.api.nvim_set_current_tabpage(home.tab)
    end
  end
  for _, window in ipairs(ours) do
    if vim.api.nvim_win_is_valid(window) then
      M.close_window(window, ours)
    end
  end
end

--- With its tab, when nothing else is in that: Neovim 0.10 crashes when the last window of another tab is closed
--- and a floating one is left there.
---@param window integer
---@param ours integer[]
function M.close_window(window, ours)
  local tab = vim.api.nvim_win_get_tabpage(window)
  if M.are_alone(ours, vim.api.nvim_tabpage_list_wins(tab)) then
    vim.cmd.tabclose({ range = { vim.api.nvim_tabpage_get_number(tab) }, bang = true })
  else
    vim.api.nvim_win_close(window, true)
  end
end

--- Floating windows do not count: they cannot be alone.
---@param ours integer[]
---@param windows integer[]
---@return boolean
function M.are_alone(ours, windows)
  for _, window in ipairs(windows) do
    local is_floating = vim.api.nvim_win_get_config(window).relative ~= ""
    if not is_floating and not vim.tbl_contains(ours, window) then
      return false
    end
  end
  return true
end

--- With an empty buffer that is gone when another one takes its place.
function M.new_tab()
  vim.cmd("tabnew")
  vim.bo.bufhidden = "wipe"
end

return M
