--- The language server as Neovim starts it: its command, its root, and what this client can do.

local config = require("untilgreen.config")

local M = {}

M.NAME = "untilgreen"
--- The server of the same version understands all that is said here.
M.VERSION = "0.1.0"

-- As the server's own, for files that no workspace folder holds.
local markers = { "pyproject.toml", "setup.cfg", "setup.py", "pytest.ini", "tox.ini", ".git" }

---@return vim.lsp.ClientConfig
function M.config()
  local options = config.get()
  return {
    name = M.NAME,
    cmd = options.cmd,
    cmd_env = options.env,
    filetypes = { "python" },
    root_dir = function(buffer, found)
      if M.is_startable(buffer) then
        found(M.root_of(vim.api.nvim_buf_get_name(buffer)))
      end
    end,
    settings = { untilgreen = vim.empty_dict() },
    before_init = M.lay_settings,
    capabilities = M.capabilities(),
    handlers = require("untilgreen.handlers").table(),
    commands = require("untilgreen.handlers").commands(),
    on_init = function(client, told)
      require("untilgreen.status").met(client.id, told.serverInfo and told.serverInfo.version or "unknown")
    end,
    on_attach = function(client, buffer)
      require("untilgreen.lenses").show(client, buffer)
    end,
    on_exit = function(code, signal, client_id)
      -- Soon Neovim will not know any more which files it had.
      local client = vim.lsp.get_client_by_id(client_id)
      local ended = {
        id = client_id,
        has_run = client ~= nil and client.initialized == true,
        root = client and client.config.root_dir,
        buffers = client and vim.tbl_keys(client.attached_buffers) or {},
      }
      vim.schedule(function()
        require("untilgreen.crashes").exited(code, signal, ended)
      end)
    end,
  }
end

--- Options may be given after this file was read; what `vim.lsp.config` says of settings wins.
--- The server is told of them in its introduction: it asks for them later, and a job may begin before that.
---@param params lsp.InitializeParams
---@param given vim.lsp.ClientConfig
function M.lay_settings(params, given)
  local said = given.settings.untilgreen
  given.settings.untilgreen = vim.tbl_deep_extend("force", config.get().settings, said or {})
  params.initializationOptions = given.settings.untilgreen
end

--- Is this a file that the server should know, and is there a server?
---@param buffer integer
---@return boolean
function M.is_startable(buffer)
  local name = vim.api.nvim_buf_get_name(buffer)
  if vim.bo[buffer].buftype ~= "" or name == "" or name:find("^%a[%w+.-]+://") then
    return false
  end
  return M.is_installed()
end

--- How it is started; what `vim.lsp.config` says of that wins.
---@return string[]|function
function M.command()
  if vim.fn.has("nvim-0.11") == 1 then
    return vim.lsp.config[M.NAME].cmd
  end
  return config.get().cmd
end

--- Says once what to do when there is no server.
---@return boolean
function M.is_installed()
  local command = M.command()
  -- A function may do anything, and reach a server that runs elsewhere.
  if type(command) == "function" or vim.fn.executable(command[1]) == 1 then
    return true
  end
  local remedy = "install it, or set `cmd`; see :help untilgreen-install"
  vim.notify_once(("untilgreen: %s was not found; %s"):format(command[1], remedy), vim.log.levels.WARN)
  return false
end

--- The project around a path; nil when there is none, and the server then takes the file's folder.
---@param path string
---@return string?
function M.root_of(path)
  local root = vim.fs.root(path, markers)
  -- A home folder under version control is not a project.
  if root and vim.uv.fs_realpath(root) ~= vim.uv.fs_realpath(vim.uv.os_homedir() or "") then
    return root
  end
end

--- Neovim 0.11 lays these over what it can itself; before, a client had to say all of it.
function M.capabilities()
  local own = {
    experimental = { untilgreen = true },
    workspace = {
      codeLens = { refreshSupport = true },
      -- So the server names the fix that it wants to be looked at, and not a file with a diff.
      textDocumentContent = { dynamicRegistration = false },
    },
  }
  if vim.fn.has("nvim-0.11") == 1 then
    return own
  end
  return vim.tbl_deep_extend("force", vim.lsp.protocol.make_client_capabilities(), own)
end

return M
