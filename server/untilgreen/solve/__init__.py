"""From a goal to a verdict: baseline, attempts, verification. Knows no editor and no terminal."""
