--- "Run" and "Solve until green" above tests, through Neovim's own lenses.

local M = {}

local is_managed = vim.fn.has("nvim-0.12") == 1

---@param client vim.lsp.Client
---@param buffer integer
function M.show(client, buffer)
  if not require("untilgreen.config").get().lenses then
    return
  end
  if is_managed then
    -- For the buffer: Neovim 0.12 does not forget lenses of a client that is gone when they were for that client.
    -- Lenses of other servers show with them, when nobody said that they should not.
    vim.lsp.codelens.enable(true, { bufnr = buffer })
    return
  end
  -- Before 0.12 lenses are asked for by hand.
  vim.lsp.codelens.refresh({ bufnr = buffer })
  vim.api.nvim_create_autocmd({ "BufEnter", "InsertLeave", "TextChanged" }, {
    group = vim.api.nvim_create_augroup("untilgreen.lenses." .. buffer, {}),
    buffer = buffer,
    callback = function()
      if vim.lsp.get_client_by_id(client.id) then
        vim.lsp.codelens.refresh({ bufnr = buffer })
      end
    end,
  })
end

--- The server knows more than before.
function M.refresh(err, params, context)
  if is_managed then
    return vim.lsp.codelens.on_refresh(err, params, context)
  end
  local client = vim.lsp.get_client_by_id(context.client_id)
  if client and require("untilgreen.config").get().lenses then
    for buffer in pairs(client.attached_buffers) do
      if vim.api.nvim_buf_is_loaded(buffer) then
        vim.lsp.codelens.refresh({ bufnr = buffer })
      end
    end
  end
  return vim.NIL
end

return M
