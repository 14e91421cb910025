--- Buffers `untilgreen://JOB/ATTEMPT/before|after/PATH`: texts of a fix, asked of the server that keeps it.

local client = require("untilgreen.client")

local M = {}

--- The name of the buffer of a virtual document.
---@param uri string `untilgreen:/JOB/…`
---@return string
function M.name(uri)
  return (uri:gsub("^untilgreen:/+", "untilgreen://"))
end

--- Fill a buffer by its name; called when it is read.
---@param buffer integer
---@param name string
---@param done? fun()
function M.read(buffer, name, done)
  if not name:match("^untilgreen://[^/]+/[^/]+/%l+/") then
    return require("untilgreen.pane").read(buffer, name)
  end
  local job = require("untilgreen.jobs").get(name:match("^untilgreen://([^/]+)/") or "")
  local found = job and vim.lsp.get_client_by_id(job.client)
  M.dress(buffer, name)
  if not found then
    return M.fill(buffer, { "This text is no longer kept." })
  end
  local uri = name:gsub("^untilgreen://", "untilgreen:/")
  client.request(found, "workspace/textDocumentContent", { uri = uri }, function(result)
    if vim.api.nvim_buf_is_valid(buffer) then
      local text = result.text:gsub("\r\n?", "\n")
      M.fill(buffer, text == "" and {} or vim.split(text:gsub("\n$", ""), "\n"))
      if done then
        done()
      end
    end
  end, function(message)
    M.fill(buffer, { message })
  end)
end

--- Colours as of its file, but not its type: other language servers have nothing to do here.
---@param buffer integer
---@param name string
function M.dress(buffer, name)
  vim.bo[buffer].buftype = "nofile"
  vim.bo[buffer].bufhidden = "hide"
  vim.bo[buffer].swapfile = false
  vim.bo[buffer].buflisted = false
  vim.bo[buffer].modifiable = false
  local filetype = vim.filetype.match({ filename = name:match("[^/]+$") or name })
  if filetype then
    local language = vim.treesitter.language.get_lang(filetype) or filetype
    if not pcall(vim.treesitter.start, buffer, language) then
      vim.bo[buffer].syntax = filetype
    end
  end
end

---@param buffer integer
---@param lines string[]
function M.fill(buffer, lines)
  if vim.api.nvim_buf_is_valid(buffer) then
    vim.bo[buffer].modifiable = true
    vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
    vim.bo[buffer].modifiable = false
    vim.bo[buffer].modified = false
  end
end

return M
