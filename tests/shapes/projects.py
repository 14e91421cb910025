"""The shapes that Python projects have, small, each with tests that pass and tests that do not."""

from __future__ import annotations

from shapes.editable import EDITABLE
from shapes.frameworks import FRAMEWORKS
from shapes.layouts import LAYOUTS

SHAPES = (*LAYOUTS, *FRAMEWORKS, *EDITABLE)
