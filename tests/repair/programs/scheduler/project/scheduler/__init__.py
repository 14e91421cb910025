from scheduler.queue import PriorityQueue
from scheduler.tasks import Scheduler, State, Task, TransitionError

__all__ = ["PriorityQueue", "Scheduler", "State", "Task", "TransitionError"]
