--- What the user wants: `vim.g.untilgreen`, then `setup{}` over it, then defaults below.

---@class untilgreen.Options
---@field cmd? string[] How the server is started; `{ "untilgreen", "serve" }`.
---@field env? table<string, string> More variables for the server's environment.
---@field autostart? boolean Start the server with the first Python file; true.
---@field settings? untilgreen.Settings Settings of the server; see its docs/settings.md.
---@field lenses? boolean Show "Run" and "Solve until green" above tests; true.
---@field quickfix? boolean Put failing tests into the quickfix list when a job ends; true.
---@field progress? "auto"|"float"|"off" A small window while a job runs; `auto`: unless something else shows it.
---@field questions? "message"|"select" Whether a fix that waits is told of, or asked about by `vim.ui.select`.

---@class untilgreen.Config
---@field cmd string[]
---@field env table<string, string>
---@field autostart boolean
---@field settings untilgreen.Settings
---@field lenses boolean
---@field quickfix boolean
---@field progress "auto"|"float"|"off"
---@field questions "message"|"select"

local M = {}

---@type untilgreen.Config
local defaults = {
  cmd = { "untilgreen", "serve" },
  env = {},
  autostart = true,
  settings = {},
  lenses = true,
  quickfix = true,
  progress = "auto",
  questions = "message",
}

local choices = { progress = { "auto", "float", "off" }, questions = { "message", "select" } }

---@type untilgreen.Options
local given = {}

--- Lay these over what was given before.
---@param options? untilgreen.Options
function M.merge(options)
  given = vim.tbl_deep_extend("force", given, options or {})
end

--- All options; a bad one is as if it had not been given.
---@return untilgreen.Config
function M.get()
  local wanted = M.wanted()
  for name in pairs(M.problems()) do
    wanted[name] = nil
  end
  return vim.tbl_deep_extend("force", vim.deepcopy(defaults), wanted)
end

--- What is wrong with the options, by name; for `:checkhealth`.
---@return table<string, string>
function M.problems()
  local problems = {}
  for name, value in pairs(M.wanted()) do
    local default = defaults[name]
    if default == nil then
      problems[name] = ("there is no option `%s`"):format(name)
    elseif type(value) ~= type(default) then
      problems[name] = ("`%s` is a %s, not a %s"):format(name, type(default), type(value))
    elseif choices[name] and not vim.tbl_contains(choices[name], value) then
      problems[name] = ("`%s` is one of %s"):format(name, table.concat(choices[name], ", "))
    elseif name == "cmd" and (#value == 0 or type(value[1]) ~= "string") then
      problems[name] = "`cmd` is a list of texts"
    end
  end
  return problems
end

---@return table<string, any>
function M.wanted()
  local global = type(vim.g.untilgreen) == "table" and vim.g.untilgreen or {}
  return vim.tbl_deep_extend("force", global, given)
end

return M
