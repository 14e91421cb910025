"""Looking for signs in one syntax tree. Pure, and nothing of the code is ever executed."""
