--- Writes what the server sends, and saves what was saved before.

local M = {}

--- Neovim looks at the version of the first document only, and says that it is done when it was not.
---@param params lsp.ApplyWorkspaceEditParams
---@param client_id integer
---@return lsp.ApplyWorkspaceEditResult
function M.apply(params, client_id)
  local client = assert(vim.lsp.get_client_by_id(client_id))
  local newer = M.newer(params.edit)
  if newer then
    return { applied = false, failureReason = newer .. " was edited meanwhile" }
  end
  local done, problem = pcall(vim.lsp.util.apply_workspace_edit, params.edit, client.offset_encoding)
  return { applied = done, failureReason = not done and tostring(problem) or nil }
end

--- The first document of an edit that is newer here than the server knows.
---@param edit lsp.WorkspaceEdit
---@return string?
function M.newer(edit)
  for _, change in ipairs(edit.documentChanges or {}) do
    local document = change.textDocument
    local version = document and document.version
    if type(version) == "number" then
      local path = vim.uri_to_fname(document.uri)
      -- By its whole name: bufnr() takes a path for a pattern.
      local known = vim.fn.bufexists(path) == 1 and vim.lsp.util.buf_versions[vim.fn.bufadd(path)]
      if known and known > version then
        return vim.fn.fnamemodify(path, ":.")
      end
    end
  end
end

--- These were saved before a fix was written to them.
---@param uris string[]
function M.save(uris)
  for _, uri in ipairs(uris) do
    local path = vim.uri_to_fname(uri)
    local buffer = vim.uri_to_bufnr(uri)
    if vim.api.nvim_buf_is_loaded(buffer) and vim.bo[buffer].modified then
      vim.fn.mkdir(vim.fs.dirname(path), "p")
      vim.api.nvim_buf_call(buffer, function()
        local saved, problem = pcall(vim.cmd, "silent update")
        if not saved then
          require("untilgreen.say").warn(("%s was not saved: %s"):format(vim.fs.basename(path), problem))
        end
      end)
    end
  end
  return vim.NIL
end

return M
