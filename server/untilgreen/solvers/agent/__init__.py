"""Repairs code with a language model."""

from untilgreen.solvers.agent.solver import AgentSolver

__all__ = ["AgentSolver"]
