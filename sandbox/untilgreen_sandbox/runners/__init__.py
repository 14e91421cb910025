"""One file per test framework: how to list, how to run, how to read what it says."""
