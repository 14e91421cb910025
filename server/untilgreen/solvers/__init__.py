"""Who proposes changes. One protocol, several kinds; none of them decides that it is done."""

from untilgreen.solvers.solver import Solver, Task, Workbench

__all__ = ["Solver", "Task", "Workbench"]
