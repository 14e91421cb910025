--- `:checkhealth untilgreen`: this editor, the server, and what a solve needs, each with its remedy.

local client = require("untilgreen.client")
local config = require("untilgreen.config")
local messages = require("untilgreen.messages")
local server = require("untilgreen.server")

local M = {}

local START_MS = 20000
-- It may ask a model for an answer.
local DOCTOR_MS = 60000
local tell = { good = vim.health.ok, note = vim.health.warn, bad = vim.health.error }

function M.check()
  vim.health.start("untilgreen: Neovim")
  M.editor()
  vim.health.start("untilgreen: language server")
  local found, was_running = M.server()
  if not found then
    return
  end
  vim.health.start("untilgreen: what a solve needs")
  M.doctor(found)
  if not was_running then
    client.stop(found)
  end
end

function M.editor()
  local version = tostring(vim.version())
  if vim.fn.has("nvim-0.10") == 1 then
    vim.health.ok("Neovim " .. version)
  else
    vim.health.error("Neovim " .. version .. " is too old", "use Neovim 0.10 or newer")
  end
  local problems = config.problems()
  for _, problem in vim.spairs(problems) do
    vim.health.warn(problem, "see :help untilgreen-options")
  end
  if next(problems) == nil then
    vim.health.ok("options are understood")
  end
end

--- The server that runs, or one that is started to see whether it does.
---@return vim.lsp.Client?
---@return boolean was_running
function M.server()
  local command = server.command()
  if type(command) == "function" then
    command = { "cmd" }
    vim.health.ok("the server is reached by a function of yours")
  elseif vim.fn.exepath(command[1]) == "" then
    vim.health.error(command[1] .. " was not found", {
      "install the server, for example: uv tool install untilgreen-VERSION.whl (:help untilgreen-install)",
      "or name it in the option `cmd`",
    })
    return nil, false
  else
    vim.health.ok(("%s is %s"):format(command[1], vim.fn.exepath(command[1])))
  end
  local was_running, found = client.find() ~= nil, nil
  local asked = client.with(function(ready)
    found = ready
  end)
  vim.wait(START_MS, function()
    return found ~= nil or not asked or vim.lsp.get_client_by_id(asked.id) == nil
  end, 20)
  if not found then
    vim.health.error("the server does not start", ("run `%s` in a terminal and see what it says"):format(
      table.concat(command, " ")
    ))
    return nil, false
  end
  M.version(require("untilgreen.status").version(found.id))
  vim.health.info("root: " .. client.root(found))
  return found, was_running
end

---@param version string
function M.version(version)
  if version == server.VERSION then
    vim.health.ok("the server is of version " .. version .. ", as this plugin is")
  else
    local advice = "install the server and the plugin of the same release"
    vim.health.warn(("the server is of version %s, this plugin of %s"):format(version, server.VERSION), advice)
  end
end

---@param found vim.lsp.Client
function M.doctor(found)
  local told, problem
  client.execute(found, messages.DOCTOR, { uri = client.uri(found, vim.api.nvim_get_current_buf()) }, function(answer)
    told = answer
  end, function(message)
    problem = message
  end)
  vim.wait(DOCTOR_MS, function() return told ~= nil or problem ~= nil end, 20)
  if not told then
    return vim.health.error("the server could not look: " .. (problem or "no answer"), "see :Untilgreen log")
  end
  for _, check in ipairs(told.checks) do
    local advice = check.remedy ~= "" and { check.remedy } or nil
    tell[check.state](("%s: %s"):format(check.name, check.detail), advice)
  end
  if not told.canSolve then
    vim.health.error("a solve cannot work here", "follow the advice above, then :checkhealth untilgreen again")
  end
end

return M
