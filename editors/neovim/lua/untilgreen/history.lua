--- Jobs of this folder, and the way of one of them, in a window below.

local client = require("untilgreen.client")
local messages = require("untilgreen.messages")
local pane = require("untilgreen.pane")

local M = {}

---@param job? string
function M.open(job)
  if job then
    return M.open_job(job)
  end
  client.with(function(found, asked_in)
    client.execute(found, messages.HISTORY, { uri = client.uri(found, asked_in) }, function(told)
      local lines = vim.tbl_map(M.line, told)
      local buffer = pane.open("untilgreen://history", #lines > 0 and lines or { "Nothing has run here yet." })
      local function on_job(action)
        return function()
          local one = told[vim.api.nvim_win_get_cursor(0)[1]]
          if one then
            action(one.job)
          end
        end
      end
      local options = { buffer = buffer, nowait = true }
      vim.keymap.set("n", "<CR>", on_job(M.open_job), options)
      vim.keymap.set("n", "u", on_job(function(id)
        client.execute(found, messages.UNDO, { uri = client.uri(found, asked_in), job = id })
      end), options)
      vim.keymap.set("n", "r", on_job(function(id)
        require("untilgreen.commands").run({ "review", id })
      end), options)
    end)
  end)
end

---@param job string
function M.open_job(job)
  client.with(function(found, asked_in)
    client.execute(found, messages.HISTORY, { uri = client.uri(found, asked_in), job = job }, function(steps)
      local lines = vim.tbl_map(function(step)
        local passed = step.tests > 0 and ("  [%d of %d]"):format(step.passed, step.tests) or ""
        return os.date("%H:%M:%S ", math.floor(step.t)) .. (step.text:gsub("\n", " ")) .. passed
      end, steps)
      pane.open("untilgreen://job/" .. job, lines)
    end)
  end)
end

---@param job table
---@return string
function M.line(job)
  local when = os.date("%Y-%m-%d %H:%M", math.floor(job.t))
  local what = #job.tests > 0 and table.concat(job.tests, " ") or "all tests"
  local state = job.state ~= "" and job.state or "-"
  local line = ("%s  %-13s %-6s %-8s %s · %s"):format(when, job.verdict, job.kind, state, what, job.reason)
  return (line:gsub("\n", " "))
end

return M
