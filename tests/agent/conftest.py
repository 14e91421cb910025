from boxes import SOAK

collect_ignore = [] if SOAK else ["test_local_model.py"]
