"""Accounts in a database."""
