"""A tea shop with five mistakes in it."""
