"""Messages, and how they get away."""
