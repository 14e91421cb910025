"""The projects here are material; their tests are run in boxes only."""

collect_ignore = ["projects"]
