--- Questions of the server. A fix that waits can wait: it is told of, and nobody's keys are taken for an answer.

local config = require("untilgreen.config")
local say = require("untilgreen.say")

local M = {}

local REVIEW = "Review"
local ways = { Apply = "apply", [REVIEW] = "review", Discard = "discard", ["Solve again"] = "solve" }

---@param params lsp.ShowMessageRequestParams
function M.ask(params)
  local titles = vim.tbl_map(function(action)
    return action.title
  end, params.actions or {})
  local can_wait = vim.tbl_contains(titles, REVIEW)
  if #titles == 0 or (can_wait and config.get().questions == "message") then
    say.say(params.message, nil, M.hint(titles))
    return vim.NIL
  end
  return M.select(params.message, params.actions) or vim.NIL
end

--- How to answer later.
---@param titles string[]
---@return string?
function M.hint(titles)
  local commands = {}
  for _, title in ipairs(titles) do
    -- "Apply with 2 findings" is still that.
    table.insert(commands, ways[title] or ways[title:match("^%a+")])
  end
  return #commands > 0 and ":Untilgreen " .. table.concat(commands, "|") or nil
end

--- Waits in a coroutine, as Neovim's own handler does, so that nothing else waits.
---@param message string
---@param actions lsp.MessageActionItem[]
---@return lsp.MessageActionItem?
function M.select(message, actions)
  local waiting = assert(coroutine.running())
  vim.ui.select(actions, {
    kind = "untilgreen",
    prompt = message,
    format_item = function(action)
      return action.title
    end,
  }, function(choice)
    vim.schedule(function()
      coroutine.resume(waiting, choice)
    end)
  end)
  return coroutine.yield()
end

return M
