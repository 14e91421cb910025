"""Keeps tests green while somebody works: saves come in, jobs go out, and the user is never fought."""
