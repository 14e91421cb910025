"""Exercises of different kinds, each with tests."""

from agent.exercises.exercise import Exercise, plain
from agent.exercises.numbers import NUMBERS
from agent.exercises.objects import OBJECTS
from agent.exercises.running import RUNNING
from agent.exercises.texts import TEXTS

EXERCISES = (*NUMBERS, *TEXTS, *OBJECTS, *RUNNING)

__all__ = ["EXERCISES", "Exercise", "plain"]
