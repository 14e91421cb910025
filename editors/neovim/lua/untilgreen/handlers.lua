--- What the server says, and who hears it.

local jobs = require("untilgreen.jobs")
local log = require("untilgreen.log")
local messages = require("untilgreen.messages")
local say = require("untilgreen.say")

local M = {}

local levels = { vim.log.levels.ERROR, vim.log.levels.WARN, vim.log.levels.INFO, vim.log.levels.DEBUG }

--- Statuslines may show what waits; nothing else would make Neovim draw them anew.
---@param event table
local function redraw_for(event)
  if event.type == "finished" or event.type == "applied" then
    vim.cmd.redrawstatus({ bang = true })
  end
end

--- Messages name code actions as other editors show them; here there is a command for it.
---@param message string
---@return string
local function commands_in(message)
  return (message:gsub("Undo last solve", ":Untilgreen undo"))
end

--- A review is more than the documents that it is made of.
---@param uri string
---@return boolean is_ours
local function show(uri)
  local id = uri:match("^" .. messages.SCHEME .. ":/+([^/]+)/")
  local review = require("untilgreen.review")
  if id and not review.is_of(id) then
    review.open(id)
  end
  return id ~= nil
end

---@return table<string, lsp.Handler>
function M.table()
  require("untilgreen.progress").listen()
  return {
    ["window/showMessage"] = function(_, params)
      say.say(commands_in(params.message), levels[params.type])
    end,
    ["window/logMessage"] = function(_, params)
      log.add(params.message)
    end,
    ["window/showMessageRequest"] = function(_, params)
      return require("untilgreen.questions").ask(params)
    end,
    ["window/showDocument"] = function(err, params, context)
      if show(params.uri) then
        return { success = true }
      end
      return vim.lsp.handlers["window/showDocument"](err, params, context)
    end,
    ["workspace/applyEdit"] = function(_, params, context)
      return require("untilgreen.edits").apply(params, context.client_id)
    end,
    ["workspace/codeLens/refresh"] = function(err, params, context)
      return require("untilgreen.lenses").refresh(err, params, context)
    end,
    [messages.EVENT] = function(_, event, context)
      jobs.told(context.client_id, event)
      redraw_for(event)
    end,
    [messages.STATUS] = function(_, status, context)
      jobs.wait(context.client_id, status.fixes)
      require("untilgreen.status").told(context.client_id, status)
      vim.cmd.redrawstatus({ bang = true })
    end,
    [messages.SAVE] = function(_, params)
      return require("untilgreen.edits").save(params.uris)
    end,
  }
end

--- Commands of code actions and lenses that this editor carries out itself.
---@return table<string, fun(command: lsp.Command, context: table)>
function M.commands()
  return {
    [messages.REVIEW] = function(command)
      require("untilgreen.review").open(command.arguments[1].job)
    end,
  }
end

return M
