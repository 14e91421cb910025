--- Keys in the windows of a review.

local M = {}

local HELP = {
  "]f  [f   next, previous file",
  "n   p    next, previous attempt",
  "r        choose among rivals",
  "a        apply the fix, or the rival that is shown",
  "d        discard the fix",
  "q        close",
  "?        this help",
}

---@param buffer integer
---@param is_shown fun(buffer: integer): boolean
function M.map(buffer, is_shown)
  local review = require("untilgreen.review")
  local function map(keys, description, action)
    vim.keymap.set("n", keys, function()
      -- Keys of a text that no review shows any more do nothing to another one.
      if not is_shown(buffer) then
        return require("untilgreen.say").warn("this is not the review that is open; :Untilgreen review")
      end
      action()
    end, { buffer = buffer, nowait = true, desc = description })
  end
  map("]f", "Next file", function() review.next_file(1) end)
  map("[f", "Previous file", function() review.next_file(-1) end)
  map("n", "Next attempt", function() review.next_attempt(1) end)
  map("p", "Previous attempt", function() review.next_attempt(-1) end)
  map("r", "Choose among rivals", review.choose_rival)
  map("a", "Apply", review.apply)
  map("d", "Discard", review.discard)
  map("q", "Close", review.close)
  map("?", "Help", M.help)
end

function M.help()
  vim.lsp.util.open_floating_preview(HELP, "", { border = "single", focus = false })
end

return M
