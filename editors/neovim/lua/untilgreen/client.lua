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
  else
    M.start(buffer)
  end
end

--- One that is being started, or runs, is used again.
---@param buffer integer
---@return integer? client_id
function M.start(buffer)
  if not server.is_startable(buffer) then
    return nil
  end
  local config = has_enable and vim.deepcopy(vim.lsp.config[server.NAME]) or server.config()
  config.root_dir = server.root_of(vim.api.nvim_buf_get_name(buffer))
  return vim.lsp.start(config, { bufnr = buffer })
end

--- The server of the current buffer, started when it is not there; else one of the current directory.
---@param done fun(client: vim.lsp.Client)
function M.with(done)
  local client = M.find()
  if not client then
    local id = M.is_python(0) and M.start(0) or M.start_here()
    client = id and vim.lsp.get_client_by_id(id)
  end
  if client then
    M.when_ready(client, done)
  end
end

--- For a command that is given in no Python file.
---@return integer? client_id
function M.start_here()
  if not server.is_installed() then
    return nil
  end
  local config = has_enable and vim.deepcopy(vim.lsp.config[server.NAME]) or server.config()
  config.root_dir = M.folder()
  return has_enable and vim.lsp.start(config, { attach = false }) or vim.lsp.start_client(config)
end

--- The one that runs for the current buffer; in no Python file, that of the current directory, or any.
---@return vim.lsp.Client?
function M.find()
  local here = vim.lsp.get_clients({ name = server.NAME, bufnr = 0 })[1]
  -- That of another project is not meant, even while this one's is starting.
  if here or M.is_python(0) then
    return here
  end
  for _, one in ipairs(M.all()) do
    if M.root(one) == M.folder() then
      return one
    end
  end
  return M.all()[1]
end

---@param buffer integer
---@return boolean
function M.is_python(buffer)
  return vim.bo[buffer].filetype == "python" and server.is_startable(buffer)
end

--- The project of the current directory.
---@return string
function M.folder()
  return server.root_of(vim.fn.getcwd() .. "/.") or vim.fn.getcwd()
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
        M.start(buffer)
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

return M
