--- The jobs of this session, as the server tells of them by `untilgreen/event`.

---@class untilgreen.Job
---@field id string
---@field client integer
---@field kind "test"|"solve"|"undo"
---@field root string
---@field tests string[]
---@field cause string Who asked for it: the name of a command, or watch mode.
---@field doing? string What it is doing, while it runs.
---@field verdict? table
---@field fix? "kept"|"open"|"applied"|"discarded" What became of its fix; only an open one waits for the user.

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
      doing = "starting",
    }
    table.insert(order, event.job)
  end
  local job = jobs[event.job]
  if not job then
    return
  end
  if event.type == "finished" then
    job.verdict, job.doing = event.verdict, nil
    -- Whoever stops a job does not want what it found.
    local was_asked_for = not vim.startswith(job.cause, "watch:")
    if was_asked_for and job.kind == "solve" and #event.verdict.patch > 0 and event.verdict.kind ~= "stopped" then
      job.fix = "kept"
    end
  elseif event.type == "failed" then
    job.doing = nil
  elseif event.type == "applied" then
    job.fix = "applied"
  elseif event.type == "undone" then
    job.doing = nil
    local taken_back = jobs[event.undoes]
    if taken_back and taken_back.fix then
      taken_back.fix = "discarded"
    end
  elseif event.type == "told" then
    require("untilgreen.log").add(event.text)
  end
end

--- Which fixes wait is for the server to say: it may write one, a newer one takes the place of an older, and
--- answers to its questions do not come through here.
---@param client integer
---@param fixes? {job: string}[] All that wait.
function M.wait(client, fixes)
  local waiting = {}
  for _, fix in ipairs(fixes or {}) do
    waiting[fix.job] = true
  end
  for id, job in pairs(jobs) do
    if job.client == client and waiting[id] then
      job.fix = "open"
    elseif job.client == client and job.fix == "open" then
      job.fix = "kept"
    end
  end
end

---@param id string
---@return untilgreen.Job?
function M.get(id)
  return jobs[id]
end

--- The newest fix that waits.
---@return untilgreen.Job?
function M.waiting()
  for n = #order, 1, -1 do
    if jobs[order[n]].fix == "open" then
      return jobs[order[n]]
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
