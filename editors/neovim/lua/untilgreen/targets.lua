--- What is meant by `test`, `file` and `all` at the cursor. The server knows: its code actions say so.

local client = require("untilgreen.client")
local messages = require("untilgreen.messages")
local say = require("untilgreen.say")

local M = {}

local missing = {
  test = "no test or stub is under the cursor; :Untilgreen solve file, or all",
  file = "this file has no tests; :Untilgreen solve all",
}

---@param kind "test"|"solve"
---@param what? "test"|"file"|"all" The nearest that there is, when it is not said.
---@param note? string
function M.start(kind, what, note)
  local cursor = vim.api.nvim_win_get_cursor(0)
  client.with(function(found, buffer)
    M.find(found, { buffer = buffer, cursor = cursor }, what, function(arguments)
      if not arguments then
        return say.warn(missing[what])
      end
      if kind == "test" then
        return client.execute(found, messages.TEST, { uri = arguments.uri, tests = arguments.tests })
      end
      if note and note ~= "" then
        arguments.note = note
      end
      client.execute(found, messages.SOLVE, arguments)
    end)
  end)
end

---@class untilgreen.Spot Where the command was given; the user may be elsewhere when the server is there.
---@field buffer integer
---@field cursor [integer, integer]

---@param found vim.lsp.Client
---@param spot untilgreen.Spot
---@param what? string
---@param done fun(arguments?: table)
function M.find(found, spot, what, done)
  local everything = { uri = client.uri(found, spot.buffer), tests = {} }
  if what == "all" or not vim.lsp.buf_is_attached(spot.buffer, found.id) then
    return done((what == "all" or not what) and everything or nil)
  end
  local params = M.params(spot, found.offset_encoding)
  params.context = { diagnostics = {}, only = { messages.QUICK_FIX, messages.WHOLE_FILE } }
  client.request(found, "textDocument/codeAction", params, function(actions)
    local offered = M.offered(actions or {})
    if what then
      done(offered[what])
    else
      done(offered.test or offered.file or everything)
    end
  end)
end

---@param spot untilgreen.Spot
---@param encoding string
---@return table
function M.params(spot, encoding)
  local line = math.min(spot.cursor[1], vim.api.nvim_buf_line_count(spot.buffer)) - 1
  local text = vim.api.nvim_buf_get_lines(spot.buffer, line, line + 1, false)[1]
  local column = math.min(spot.cursor[2], #text)
  local place = { line = line, character = vim.lsp.util.character_offset(spot.buffer, line, column, encoding) }
  return {
    textDocument = { uri = vim.uri_from_bufnr(spot.buffer) },
    range = { start = place, ["end"] = place },
  }
end

--- The first offer of each kind; the tests of a cursor come before those of its file.
---@param actions lsp.CodeAction[]
---@return table<string, table>
function M.offered(actions)
  local found = {}
  for _, action in ipairs(actions) do
    if action.command and action.command.command == messages.SOLVE then
      local arguments = action.command.arguments[1]
      local what = action.kind == messages.QUICK_FIX and "test" or #arguments.tests > 0 and "file" or "all"
      found[what] = found[what] or arguments
    end
  end
  return found
end

return M
