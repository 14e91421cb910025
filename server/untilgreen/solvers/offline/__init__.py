"""Repairs code without any model."""

from untilgreen.solvers.offline.solver import OfflineSolver

__all__ = ["OfflineSolver"]
