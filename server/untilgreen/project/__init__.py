"""What kind of project lies in a folder: its interpreter, its dependencies, where its imports begin."""

from untilgreen.project.discovery import Project, discover, repository_table

__all__ = ["Project", "discover", "repository_table"]
