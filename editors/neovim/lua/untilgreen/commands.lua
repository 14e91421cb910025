--- `:Untilgreen`: one table of what follows it, each with what it does and what may come next.

local client = require("untilgreen.client")
local jobs = require("untilgreen.jobs")
local messages = require("untilgreen.messages")
local say = require("untilgreen.say")

local M = {}

---@class untilgreen.Subcommand
---@field impl fun(words: string[])
---@field complete? fun(): string[]

---@return string[]
local function targets()
  return { "test", "file", "all" }
end

---@return string[]
local function fixes()
  return vim.tbl_map(function(job)
    return job.id
  end, jobs.with_fix())
end

--- The fix that is meant: the named one, or the newest that waits.
---@param id? string
---@return string?
local function fix(id)
  local job = id and jobs.get(id) or not id and jobs.waiting()
  if not job then
    say.warn(id and ("there is no fix of job %s"):format(id) or "no fix is waiting")
    return nil
  end
  return job.id
end

--- Hand a fix to its server; what stands against it is said.
---@param command string
---@param id? string
---@param done? fun(job: untilgreen.Job)
local function decide(command, id, done)
  local job = jobs.get(fix(id) or "")
  local found = job and vim.lsp.get_client_by_id(job.client)
  if job and found then
    client.execute(found, command, { job = job.id }, function(answer)
      if type(answer) == "table" and type(answer.reason) == "string" then
        say.warn(answer.reason)
      elseif done then
        done(job)
      end
    end)
  end
end

---@param kind "solve"|"test"
---@return fun(words: string[])
local function start(kind)
  return function(words)
    local what = vim.tbl_contains(targets(), words[1]) and table.remove(words, 1) or nil
    require("untilgreen.targets").start(kind, what, table.concat(words, " "))
  end
end

---@type table<string, untilgreen.Subcommand>
M.table = {
  solve = { impl = start("solve"), complete = targets },
  test = { impl = start("test"), complete = targets },
  stop = {
    impl = function()
      vim.tbl_map(client.stop_jobs, client.all())
    end,
  },
  review = {
    impl = function(words)
      local id = fix(words[1])
      if id then
        require("untilgreen.review").open(id)
      end
    end,
    complete = fixes,
  },
  apply = {
    impl = function(words)
      decide(messages.APPLY, words[1])
    end,
    complete = fixes,
  },
  discard = {
    impl = function(words)
      decide(messages.DISCARD, words[1], function(job)
        job.fix = "discarded"
        require("untilgreen.status").changed()
      end)
    end,
    complete = fixes,
  },
  undo = {
    impl = function(words)
      local force = words[1] == "force" and table.remove(words, 1) ~= nil
      client.with(function(found, buffer)
        client.execute(found, messages.UNDO, { uri = client.uri(found, buffer), job = words[1], force = force })
      end)
    end,
    complete = function()
      return { "force" }
    end,
  },
  watch = {
    impl = function(words)
      require("untilgreen.watch").switch(words[1])
    end,
    complete = function()
      return { "off", "diagnose", "suggest", "fix" }
    end,
  },
  history = {
    impl = function(words)
      require("untilgreen.history").open(words[1])
    end,
    complete = fixes,
  },
  log = {
    impl = function(words)
      require("untilgreen.log").open(words[1])
    end,
    complete = fixes,
  },
  doctor = {
    impl = function()
      vim.cmd("checkhealth untilgreen")
    end,
  },
}

---@param words string[]
function M.run(words)
  local name = table.remove(words, 1)
  if not name then
    local told = require("untilgreen.status").sentences()
    return say.say(#told > 0 and table.concat(told, "\n") or "no server is running")
  end
  local subcommand = M.table[name]
  if not subcommand then
    return say.warn(("there is no :Untilgreen %s; see :help untilgreen-commands"):format(name))
  end
  subcommand.impl(words)
end

---@param lead string
---@param line string
---@return string[]
function M.complete(lead, line)
  local words = vim.split(line:gsub("^.-Untilgreen!?%s+", ""), "%s+")
  local offered = {}
  if #words <= 1 then
    offered = vim.tbl_keys(M.table)
    table.sort(offered)
  elseif #words == 2 and M.table[words[1]] and M.table[words[1]].complete then
    offered = M.table[words[1]].complete()
  end
  return vim.tbl_filter(function(word)
    return vim.startswith(word, lead)
  end, offered)
end

return M
