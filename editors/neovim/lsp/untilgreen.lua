-- For `vim.lsp.enable('untilgreen')`; what `vim.lsp.config('untilgreen', …)` says is laid over it.
return require("untilgreen.server").config()
