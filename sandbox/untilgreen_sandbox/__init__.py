"""Runs test suites where they can do no harm, and reports what happened."""
