--- The jobs of this session, as the server tells of them by `untilgreen/event`.

---@class untilgreen.Job
---@field id string
---@field client integer
---@field kind "test"|"solve"|"undo"
---@field root string
---@field tests string[]
---@field cause string Who asked for it: the name of a command, or watch mode.
---@field attempts integer[] Numbers of the changes that were tried.
---@field doing? string What it is doing, while it runs.
---@field verdict? table
---@field fix? "open"|"applied"|"discarded" What became of its fix.

local M = {}

---@type table<string, untilgreen.Job>
local jobs = {}
---@type string[] Ids, the newest last.
local order = {}

---@param client integer
---@param event table `{v, job, seq, t, type, …}`
function M.told(client, event)
  if event.type == "job_started" then
    jobs[event.job] = {
      id = event.job,
      client = client,
      kind = event.kind,
      root = event.root,
      tests = event.tests or {},
      cause = event.cause or "",
      attempts = {},
      doing = "starting",
    }
    table.insert(order, event.job)
  end
  local job = jobs[event.job]
  if not job then
    return
  end
  if event.type == "tested" then
    table.insert(job.attempts, event.attempt.n)
  elseif event.type == "finished" then
    job.verdict, job.doing = event.verdict, nil
    -- Whoever stops a job does not want what it found.
    local was_asked_for = not vim.startswith(job.cause, "watch:")
    if was_asked_for and job.kind == "solve" and #event.verdict.patch > 0 and event.verdict.kind ~= "stopped" then
      job.fix = "open"
    end
  elseif event.type == "failed" then
    job.doing = nil
  elseif event.type == "applied" then
    job.fix = "applied"
  elseif event.type == "told" then
    require("untilgreen.log").add(event.text)
  end
end

--- What watch mode found waits only when the server says so: it may write it, or know that it is not wanted.
---@param fixes? {job: string}[]
function M.wait(fixes)
  for _, fix in ipairs(fixes or {}) do
    if jobs[fix.job] then
      jobs[fix.job].fix = "open"
    end
  end
end

---@param id string
---@return untilgreen.Job?
function M.get(id)
  return jobs[id]
end

--- The newest fix in that state below a folder, or anywhere.
---@param state "open"|"applied"|"discarded"
---@param root? string
---@return untilgreen.Job?
function M.newest(state, root)
  for n = #order, 1, -1 do
    local job = jobs[order[n]]
    if job.fix == state and (root == nil or job.root == root) then
      return job
    end
  end
end

--- Jobs whose fix can still be looked at, the newest first.
---@return untilgreen.Job[]
function M.with_fix()
  local found = {}
  for n = #order, 1, -1 do
    if jobs[order[n]].fix then
      table.insert(found, jobs[order[n]])
    end
  end
  return found
end

---@return untilgreen.Job[]
function M.running()
  return vim.tbl_filter(function(job)
    return job.doing ~= nil
  end, vim.tbl_values(jobs))
end

--- A server is gone, and its jobs and the fixes that it kept with it.
---@param client integer
function M.forget(client)
  order = vim.tbl_filter(function(id)
    if jobs[id].client == client then
      jobs[id] = nil
      return false
    end
    return true
  end, order)
end

return M
