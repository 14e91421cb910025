"""Questions whose right answers no candidate knows: the user's tests under other names, among opposites."""
