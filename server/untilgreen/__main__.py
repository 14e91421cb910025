"""`python -m untilgreen` is the same as `untilgreen`."""

from untilgreen.cli import main

main()
