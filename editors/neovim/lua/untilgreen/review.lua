--- A fix side by side in a tab of its own: before on the left, after on the right, one file at a time.

local client = require("untilgreen.client")
local documents = require("untilgreen.documents")
local jobs = require("untilgreen.jobs")
local keys = require("untilgreen.keys")
local messages = require("untilgreen.messages")
local say = require("untilgreen.say")
local sides = require("untilgreen.sides")

local M = {}

---@class untilgreen.Review
---@field job untilgreen.Job
---@field sides untilgreen.Sides
---@field buffers integer[] The two texts that are shown.
---@field told table The server's answer.
---@field fix? string The attempt that became the fix.
---@field rival? integer
---@field file integer

---@type untilgreen.Review?
local shown
local findings = vim.api.nvim_create_namespace("untilgreen.findings")

---@param id string
---@param choice? {rival?: integer, attempt?: integer} The fix itself, when nothing is chosen.
function M.open(id, choice)
  local job = jobs.get(id)
  local found = job and vim.lsp.get_client_by_id(job.client)
  if not job or not found then
    return say.warn(("there is no fix of job %s"):format(id))
  end
  local arguments = vim.tbl_extend("force", { job = job.id }, choice or {})
  client.execute(found, messages.REVIEW, arguments, function(told)
    if type(told.job) ~= "string" then
      return say.warn(told.reason)
    end
    if #told.files == 0 then
      return say.say(("attempt %s changed nothing"):format(told.attempt))
    end
    M.enter(job)
    shown.told, shown.rival, shown.file = told, choice and choice.rival, 1
    if not choice and M.is_verified(told) then
      shown.fix = told.attempt
    end
    M.show()
  end)
end

--- A job that found no fix shows its last attempt, which is then among the others.
---@param told table
---@return boolean
function M.is_verified(told)
  return not vim.iter(told.attempts):any(function(other)
    return tostring(other.n) == told.attempt
  end)
end

--- There is one review at a time.
---@param job untilgreen.Job
function M.enter(job)
  if not M.is_of(job.id) then
    M.close()
    shown = { job = job, sides = sides.open(), buffers = {}, told = {}, file = 1 }
  end
end

---@param id string
---@return boolean
function M.is_of(id)
  return shown ~= nil and shown.job.id == id
end

function M.show()
  if not sides.enter(shown.sides) then
    shown.sides = sides.open()
  end
  local file = shown.told.files[shown.file]
  local waiting = 2
  shown.buffers = {}
  for _, side in ipairs({ "before", "after" }) do
    local buffer = vim.fn.bufadd(documents.name(file[side]))
    table.insert(shown.buffers, buffer)
    vim.api.nvim_win_set_buf(shown.sides[side], buffer)
    keys.map(buffer, M.is_shown)
    documents.read(buffer, vim.api.nvim_buf_get_name(buffer), function()
      waiting = waiting - 1
      if waiting == 0 then
        M.compare(file)
      end
    end)
  end
  M.title(file)
end

---@param file table
function M.compare(file)
  -- Who goes on to the next file does not wait for this one.
  if not shown or shown.told.files[shown.file] ~= file then
    return
  end
  if sides.compare(shown.sides) then
    vim.diagnostic.set(findings, vim.api.nvim_win_get_buf(shown.sides.after), M.marks(file))
  end
end

--- What needs a look in the fix; lines of another change are others.
---@param file table
---@return vim.Diagnostic[]
function M.marks(file)
  local marks = {}
  for _, finding in ipairs(M.is_fix() and shown.told.findings or {}) do
    if finding.path == file.path then
      table.insert(marks, {
        lnum = math.max(0, finding.line - 1),
        col = 0,
        message = finding.reason,
        severity = vim.diagnostic.severity.WARN,
        source = "untilgreen",
        code = finding.rule,
      })
    end
  end
  return marks
end

---@param file table
function M.title(file)
  local told = shown.told
  local parts = { ("%s (%d of %d)"):format(file.path, shown.file, #told.files) }
  if shown.rival then
    table.insert(parts, ("rival %d"):format(shown.rival))
  elseif M.is_fix() then
    table.insert(parts, told.attempt == "0" and "the fix" or ("attempt %s"):format(told.attempt))
  else
    table.insert(parts, ("attempt %s, not the fix"):format(told.attempt))
  end
  if M.is_fix() and #told.findings > 0 then
    table.insert(parts, ("%d to look at"):format(#told.findings))
  end
  local text = table.concat(parts, " · "):gsub("%%", "%%%%")
  vim.wo[shown.sides.before][0].winbar = " before · " .. text
  local hint = M.can_apply() and "a apply · d discard" or "n p attempts"
  vim.wo[shown.sides.after][0].winbar = (" after · %s · ? help"):format(hint)
end

---@return boolean
function M.is_fix()
  return not shown.rival and shown.told.attempt == shown.fix
end

--- An earlier attempt was found wanting; a rival passes, too.
---@return boolean
function M.can_apply()
  return shown.rival ~= nil or M.is_fix()
end

---@param step 1|-1
function M.next_file(step)
  local count = #shown.told.files
  shown.file = (shown.file - 1 + step) % count + 1
  M.show()
end

--- The fix at its place among the others; last, when it was changed after all of them.
---@return string[]
function M.attempts()
  local place = tonumber(shown.fix)
  local numbers = place and { place > 0 and place or math.huge } or {}
  for _, other in ipairs(shown.told.attempts) do
    table.insert(numbers, other.n)
  end
  table.sort(numbers)
  return vim.tbl_map(function(n)
    return n == math.huge and shown.fix or tostring(n)
  end, numbers)
end

---@param step 1|-1
function M.next_attempt(step)
  local attempts = M.attempts()
  local now = shown.rival and shown.fix or shown.told.attempt
  for n, attempt in ipairs(attempts) do
    local wanted = attempts[n + step]
    if attempt == now and wanted then
      return M.open(shown.job.id, wanted ~= shown.fix and { attempt = tonumber(wanted) } or nil)
    end
  end
  say.say(("there is no %s attempt"):format(step == 1 and "later" or "earlier"))
end

--- Other changes make the tests pass, too.
function M.choose_rival()
  local choices = { "the fix" }
  for n = 1, shown.told.rivals do
    table.insert(choices, ("rival %d"):format(n))
  end
  if #choices == 1 then
    return say.say("this fix has no rivals")
  end
  local prompt = shown.told.difference ~= "" and shown.told.difference or "Which change?"
  local id = shown.job.id
  vim.ui.select(choices, { prompt = prompt, kind = "untilgreen" }, function(_, n)
    if n then
      M.open(id, n > 1 and { rival = n - 1 } or nil)
    end
  end)
end

function M.apply()
  local job, rival = shown.job, shown.rival
  if not M.can_apply() then
    local way = shown.fix and "n and p lead to it" or "this job found none"
    return say.warn(("attempt %s is not the fix; %s"):format(shown.told.attempt, way))
  end
  local found = vim.lsp.get_client_by_id(job.client)
  if not found then
    return say.warn("the server that found this fix has ended")
  end
  client.execute(found, messages.APPLY, { job = job.id, rival = rival }, function(answer)
    if type(answer.reason) == "string" then
      say.warn(answer.reason)
    end
  end)
  M.close()
end

function M.discard()
  require("untilgreen.commands").run({ "discard", shown.job.id })
  M.close()
end

--- Back to where the user was.
function M.close()
  local closed = shown
  shown = nil
  if closed then
    sides.close(closed.sides)
  end
end

---@param buffer integer
---@return boolean
function M.is_shown(buffer)
  return shown ~= nil and vim.tbl_contains(shown.buffers, buffer)
end

return M
