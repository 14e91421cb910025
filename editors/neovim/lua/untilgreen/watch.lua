--- Watch mode of the folder that the current buffer belongs to.

local client = require("untilgreen.client")
local messages = require("untilgreen.messages")
local say = require("untilgreen.say")

local M = {}

local modes = { "off", "diagnose", "suggest", "fix" }

--- Without a mode, say which one it is.
---@param mode? string
function M.switch(mode)
  if mode and not vim.tbl_contains(modes, mode) then
    return say.warn(("watch modes are %s, not %s"):format(table.concat(modes, ", "), mode))
  end
  client.with(function(found, buffer)
    client.execute(found, messages.WATCH, { uri = client.uri(found, buffer), mode = mode }, function(answer)
      if type(answer) ~= "table" then
        return
      end
      if type(answer.reason) == "string" then
        say.warn(answer.reason)
      elseif answer.mode == "off" then
        say.say("not watching")
      else
        say.say(("watching (%s)"):format(answer.mode))
      end
    end)
  end)
end

return M
