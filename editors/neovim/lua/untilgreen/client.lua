--- The running server: starts it, finds the one for a buffer, and asks it.

local messages = require("untilgreen.messages")
local server = require("untilgreen.server")

local M = {}

local has_enable = vim.fn.has("nvim-0.11") == 1
local enabled = false

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
  if server.is_startable(buffer) then
    return M.start_at(server.root_of(vim.api.nvim_buf_get_name(buffer)), buffer)
  end
end

--- For a command that is given in no Python file.
---@return integer? client_id
function M.start_here()
  if server.is_installed() then
    return M.start_at(M.folder())
  end
end

---@param root? string Files outside of any project have none.
---@param buffer? integer
---@return integer? client_id
function M.start_at(root, buffer)
  local config = has_enable and vim.deepcopy(vim.lsp.config[server.NAME]) or server.config()
  config.root_dir = root
  if buffer then
    return vim.lsp.start(config, { bufnr = buffer, reuse_client = M.is_the_same })
  end
  return has_enable and vim.lsp.start(config, { attach = false }) or vim.lsp.start_client(config)
end

--- Neovim 0.10 starts another server for each file that is outside of any project.
---@param running vim.lsp.Client
---@param config vim.lsp.ClientConfig
---@return boolean
function M.is_the_same(running, config)
  if running.name ~= config.name or call(running, "is_stopped") then
    return false
  end
  for _, folder in ipairs(config.root_dir and running.workspace_folders or {}) do
    if folder.name == config.root_dir then
      return true
    end
  end
  return running.config.root_dir == config.root_dir
end

--- The server of the current buffer, started when it is not there; else one of the current directory.
---@param done fun(client: vim.lsp.Client, buffer: integer) The buffer is that in which this was asked for.
---@return vim.lsp.Client? client Which may not be ready yet.
function M.with(done)
  local client, buffer = M.find(), vim.api.nvim_get_current_buf()
  if not client then
    local id = M.is_python(0) and M.start(0) or M.start_here()
    client = id and vim.lsp.get_client_by_id(id)
  end
  if client then
    M.when_ready(client, function()
      done(client, buffer)
    end)
  end
  return client
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
---@param done fun()
function M.when_ready(client, done)
  if client.initialized then
    return done()
  end
  local timer = assert(vim.uv.new_timer())
  timer:start(20, 20, vim.schedule_wrap(function()
    if timer:is_closing() or not (client.initialized or call(client, "is_stopped")) then
      return
    end
    timer:close()
    if client.initialized then
      done()
    end
  end))
end

--- A document or folder of the client's workspace, so that the server knows which root is meant.
---@param client vim.lsp.Client
---@param buffer integer Where it was asked for; it may be gone.
---@return string uri
function M.uri(client, buffer)
  if vim.api.nvim_buf_is_valid(buffer) and vim.lsp.buf_is_attached(buffer, client.id) then
    return vim.uri_from_bufnr(buffer)
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

return M
