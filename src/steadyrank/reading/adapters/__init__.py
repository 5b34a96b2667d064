"""Files that evaluation tools write: a module for each tool, all of them declared in ``formats.py``."""
