--- The running server: starts it, finds the one for a buffer, asks it, and survives its death.

local messages = require("untilgreen.messages")
local server = require("untilgreen.server")

local M = {}

local has_enable = vim.fn.has("nvim-0.11") == 1
-- A server that dies again and again is not started for ever.
local MOST_RESTARTS = 3
local enabled = false
local restarts = 0

--- Before 0.11 the functions of a client were no methods.
---@param client vim.lsp.Client
---@param name string
local function call(client, name, ...)
  if has_enable then
    return client[name](client, ...)
  end
  return client[name](...)
end

--- For the first Python file, unless the user does not want that.
---@param buffer integer
function M.autostart(buffer)
  if not require("untilgreen.config").get().autostart then
    return
  end
  if vim.v.vim_did_enter == 0 then
    vim.api.nvim_create_autocmd("VimEnter", {
      once = true,
      callback = function()
        if vim.api.nvim_buf_is_valid(buffer) then
          M.attach(buffer)
        end
      end,
    })
  else
    M.attach(buffer)
  end
end

--- Start the server for a buffer if it is not running.
---@param buffer integer
function M.attach(buffer)
  if has_enable then
    -- From the second buffer on Neovim does this itself.
    if not enabled then
      enabled = true
      vim.lsp.enable(server.NAME)
    end
  elseif server.is_startable(buffer) then
    local config = server.config()
    config.root_dir = server.root_of(vim.api.nvim_buf_get_name(buffer))
    vim.lsp.start(config, { bufnr = buffer })
  end
end

--- The server of the current buffer; else the one that runs, or one for the current directory.
---@param done fun(client: vim.lsp.Client)
function M.with(done)
  local client = M.find()
  if client then
    return M.when_ready(client, done)
  end
  if not server.is_installed() then
    return
  end
  local config = has_enable and vim.deepcopy(vim.lsp.config[server.NAME]) or server.config()
  config.root_dir = server.root_of(vim.fn.getcwd() .. "/.") or vim.fn.getcwd()
  local id = has_enable and vim.lsp.start(config, { attach = false }) or vim.lsp.start_client(config)
  client = id and vim.lsp.get_client_by_id(id)
  if client then
    M.when_ready(client, done)
  end
end

--- That of the current buffer, else that of the current directory, else any.
---@return vim.lsp.Client?
function M.find()
  local here = vim.lsp.get_clients({ name = server.NAME, bufnr = 0 })
  local folder = server.root_of(vim.fn.getcwd() .. "/.") or vim.fn.getcwd()
  for _, one in ipairs(M.all()) do
    if #here == 0 and M.root(one) == folder then
      return one
    end
  end
  return here[1] or M.all()[1]
end

---@return vim.lsp.Client[]
function M.all()
  return vim.lsp.get_clients({ name = server.NAME })
end

---@param client vim.lsp.Client
---@param done fun(client: vim.lsp.Client)
function M.when_ready(client, done)
  if client.initialized then
    return done(client)
  end
  local timer = assert(vim.uv.new_timer())
  timer:start(20, 20, vim.schedule_wrap(function()
    if timer:is_closing() or not (client.initialized or call(client, "is_stopped")) then
      return
    end
    timer:close()
    if client.initialized then
      done(client)
    end
  end))
end

--- A document or folder of the client's workspace, so that the server knows which root is meant.
---@param client vim.lsp.Client
---@return string uri
function M.uri(client)
  if vim.lsp.buf_is_attached(0, client.id) then
    return vim.uri_from_bufnr(0)
  end
  return vim.uri_from_fname(client.root_dir or vim.fn.getcwd())
end

---@param client vim.lsp.Client
---@return string
function M.root(client)
  return client.root_dir or client.config.root_dir or vim.fn.getcwd()
end

---@param client vim.lsp.Client
---@param method string
---@param params table
---@param done fun(result: any)
---@param failed? fun(message: string)
function M.request(client, method, params, done, failed)
  local function answered(err, result)
    if not err then
      return done(result)
    end
    if failed then
      return failed(err.message)
    end
    require("untilgreen.say").say(err.message, vim.log.levels.ERROR)
  end
  call(client, "request", method, params, answered)
end

--- `workspace/executeCommand`, with the one object that our commands take.
---@param client vim.lsp.Client
---@param command string
---@param arguments table
---@param done? fun(result: any)
---@param failed? fun(message: string)
function M.execute(client, command, arguments, done, failed)
  local params = { command = command, arguments = { arguments } }
  M.request(client, "workspace/executeCommand", params, done or function() end, failed)
end

---@param client vim.lsp.Client
function M.stop_jobs(client)
  M.execute(client, messages.STOP, vim.empty_dict())
end

---@param client vim.lsp.Client
function M.stop(client)
  call(client, "stop")
end

--- The server has ended. When nobody asked for that, it is started again, and open files are told to it.
---@param code integer
---@param signal integer
---@param client_id integer
function M.exited(code, signal, client_id)
  require("untilgreen.jobs").forget(client_id)
  require("untilgreen.progress").forget(client_id)
  require("untilgreen.status").forget(client_id)
  local was_asked_to = (code == 0 and signal == 0) or signal == 15 or code == 143
  if was_asked_to or vim.v.exiting ~= vim.NIL then
    return
  end
  local say = require("untilgreen.say")
  restarts = restarts + 1
  if restarts > MOST_RESTARTS then
    return say.warn("the server ended again and was not started again; see :Untilgreen log and :LspLog")
  end
  say.warn("the server ended; it is started again")
  M.when_gone(client_id, function()
    for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
      if vim.api.nvim_buf_is_loaded(buffer) and vim.bo[buffer].filetype == "python" then
        M.reattach(buffer)
      end
    end
  end)
end

--- Neovim forgets a client only after it has told of its end; before, it would take it for a running one.
---@param client_id integer
---@param done fun()
function M.when_gone(client_id, done)
  if vim.lsp.get_client_by_id(client_id) == nil then
    return done()
  end
  vim.defer_fn(function()
    M.when_gone(client_id, done)
  end, 20)
end

---@param buffer integer
function M.reattach(buffer)
  if not server.is_startable(buffer) then
    return
  end
  local config = has_enable and vim.deepcopy(vim.lsp.config[server.NAME]) or server.config()
  config.root_dir = server.root_of(vim.api.nvim_buf_get_name(buffer))
  vim.lsp.start(config, { bufnr = buffer })
end

return M
