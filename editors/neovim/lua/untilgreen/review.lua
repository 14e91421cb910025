--- A fix side by side in a tab of its own: before on the left, after on the right, one file at a time.

local client = require("untilgreen.client")
local documents = require("untilgreen.documents")
local jobs = require("untilgreen.jobs")
local messages = require("untilgreen.messages")
local say = require("untilgreen.say")

local M = {}

local HELP = {
  "]f  [f   next, previous file",
  "n   p    next, previous attempt",
  "r        choose among rivals",
  "a        apply what is shown",
  "d        discard the fix",
  "q        close",
  "?        this help",
}

---@class untilgreen.Review
---@field job untilgreen.Job
---@field tab integer
---@field before integer Window.
---@field after integer Window.
---@field told table The server's answer.
---@field rival? integer
---@field file integer

---@type untilgreen.Review?
local shown
local findings = vim.api.nvim_create_namespace("untilgreen.findings")

--- The fix of a job, or the newest that waits.
---@param id? string
---@param choice? {rival?: integer, attempt?: integer}
function M.open(id, choice)
  local job = id and jobs.get(id) or not id and jobs.newest("open")
  local found = job and vim.lsp.get_client_by_id(job.client)
  if not job or not found then
    return
  end
  local arguments = vim.tbl_extend("force", { job = job.id }, choice or {})
  client.execute(found, messages.REVIEW, arguments, function(told)
    if type(told.job) ~= "string" then
      return say.warn(told.reason)
    end
    M.enter(job)
    shown.told, shown.rival, shown.file = told, choice and choice.rival, 1
    M.show()
  end)
end

--- The tab of this job's review, made when it is not there.
---@param job untilgreen.Job
function M.enter(job)
  if shown and shown.job.id == job.id and vim.api.nvim_tabpage_is_valid(shown.tab) then
    vim.api.nvim_set_current_tabpage(shown.tab)
    return
  end
  M.close()
  vim.cmd("tabnew")
  local empty = vim.api.nvim_get_current_buf()
  vim.bo[empty].bufhidden = "wipe"
  local before = vim.api.nvim_get_current_win()
  vim.cmd("rightbelow vsplit")
  shown = {
    job = job,
    tab = vim.api.nvim_get_current_tabpage(),
    before = before,
    after = vim.api.nvim_get_current_win(),
    told = {},
    file = 1,
  }
end

function M.show()
  local file = shown.told.files[shown.file]
  local waiting = 2
  for _, side in ipairs({ "before", "after" }) do
    local buffer = vim.fn.bufadd(documents.name(file[side]))
    local window = shown[side]
    vim.api.nvim_win_set_buf(window, buffer)
    M.map(buffer)
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
  if not shown or not vim.api.nvim_win_is_valid(shown.after) then
    return
  end
  for _, window in ipairs({ shown.before, shown.after }) do
    vim.api.nvim_win_call(window, function()
      vim.cmd("diffthis")
    end)
  end
  vim.api.nvim_set_current_win(shown.after)
  vim.cmd("diffupdate")
  vim.cmd("silent! normal! gg]c")
  local marks = {}
  for _, finding in ipairs(shown.told.findings) do
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
  vim.diagnostic.set(findings, vim.api.nvim_win_get_buf(shown.after), marks)
end

---@param file table
function M.title(file)
  local told = shown.told
  local parts = { ("%s (%d of %d)"):format(file.path, shown.file, #told.files) }
  table.insert(parts, shown.rival and ("rival %d"):format(shown.rival) or ("attempt %s"):format(told.attempt))
  if #told.findings > 0 then
    table.insert(parts, ("%d to look at"):format(#told.findings))
  end
  local text = table.concat(parts, " · "):gsub("%%", "%%%%")
  vim.wo[shown.before][0].winbar = " before · " .. text
  vim.wo[shown.after][0].winbar = " after · a apply · d discard · ? help"
end

---@param step 1|-1
function M.next_file(step)
  local count = #shown.told.files
  shown.file = (shown.file - 1 + step) % count + 1
  M.show()
end

---@param step 1|-1
function M.next_attempt(step)
  local attempts = shown.job.attempts
  local now = tonumber(shown.told.attempt) or attempts[#attempts] or 0
  for n, attempt in ipairs(attempts) do
    if attempt == now and attempts[n + step] then
      return M.open(shown.job.id, { attempt = attempts[n + step] })
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
  vim.ui.select(choices, { prompt = prompt, kind = "untilgreen" }, function(_, n)
    if n then
      M.open(shown.job.id, n > 1 and { rival = n - 1 } or nil)
    end
  end)
end

function M.apply()
  local job, rival = shown.job, shown.rival
  local found = vim.lsp.get_client_by_id(job.client)
  M.close()
  if found then
    client.execute(found, messages.APPLY, { job = job.id, rival = rival }, function(answer)
      if answer.reason then
        say.warn(answer.reason)
      end
    end)
  end
end

function M.discard()
  local id = shown.job.id
  M.close()
  require("untilgreen.commands").run({ "discard", id })
end

--- Back to where the user was.
function M.close()
  local tab = shown and shown.tab
  shown = nil
  if tab and vim.api.nvim_tabpage_is_valid(tab) then
    vim.cmd(("tabclose %d"):format(vim.api.nvim_tabpage_get_number(tab)))
  end
end

function M.help()
  vim.lsp.util.open_floating_preview(HELP, "", { border = "single", focus = false })
end

---@param buffer integer
function M.map(buffer)
  local function map(keys, description, action)
    vim.keymap.set("n", keys, action, { buffer = buffer, nowait = true, desc = description })
  end
  map("]f", "Next file", function() M.next_file(1) end)
  map("[f", "Previous file", function() M.next_file(-1) end)
  map("n", "Next attempt", function() M.next_attempt(1) end)
  map("p", "Previous attempt", function() M.next_attempt(-1) end)
  map("r", "Choose among rivals", M.choose_rival)
  map("a", "Apply", M.apply)
  map("d", "Discard", M.discard)
  map("q", "Close", M.close)
  map("?", "Help", M.help)
end

return M
