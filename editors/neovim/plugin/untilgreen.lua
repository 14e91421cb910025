-- Sourced at start-up: names only. Everything else is loaded when it is first used.
if vim.g.loaded_untilgreen then
  return
end
vim.g.loaded_untilgreen = true

if vim.fn.has("nvim-0.10") == 0 then
  vim.notify_once("untilgreen needs Neovim 0.10 or newer", vim.log.levels.ERROR)
  return
end

vim.api.nvim_create_user_command("Untilgreen", function(given)
  require("untilgreen.commands").run(given.fargs)
end, {
  nargs = "*",
  desc = "Make failing tests pass",
  complete = function(lead, line)
    return require("untilgreen.commands").complete(lead, line)
  end,
})

local group = vim.api.nvim_create_augroup("untilgreen", {})

vim.api.nvim_create_autocmd("FileType", {
  group = group,
  pattern = "python",
  desc = "Start the language server",
  callback = function(event)
    require("untilgreen.client").autostart(event.buf)
  end,
})

vim.api.nvim_create_autocmd("BufReadCmd", {
  group = group,
  pattern = "untilgreen://*",
  desc = "Show what a fix changes",
  callback = function(event)
    require("untilgreen.documents").read(event.buf, event.match)
  end,
})

-- Loaded late, for example by packadd: files that are open already would never be told of.
if vim.v.vim_did_enter == 1 then
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(buffer) and vim.bo[buffer].filetype == "python" then
      require("untilgreen.client").autostart(buffer)
    end
  end
end

for name, command in pairs({
  ["solve"] = "solve",
  ["solve-test"] = "solve test",
  ["solve-file"] = "solve file",
  ["solve-all"] = "solve all",
  ["test"] = "test",
  ["test-file"] = "test file",
  ["test-all"] = "test all",
  ["stop"] = "stop",
  ["review"] = "review",
  ["apply"] = "apply",
  ["discard"] = "discard",
  ["undo"] = "undo",
  ["history"] = "history",
  ["log"] = "log",
}) do
  vim.keymap.set("n", ("<Plug>(untilgreen-%s)"):format(name), ("<Cmd>Untilgreen %s<CR>"):format(command), {
    desc = "untilgreen: " .. command,
  })
end
