"""Files that evaluation tools write, and those with a grammar of their own: see ``formats.py``."""
