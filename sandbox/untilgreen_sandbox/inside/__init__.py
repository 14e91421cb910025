"""The one program that runs inside the box. Standard library only, Python 3.9 and later.

Nothing is installed in the box: the host sends these modules as the first frame (see `program.py`).
"""
