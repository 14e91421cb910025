"""The programs here are material; their suites run apart from ours."""

collect_ignore = ["programs"]
