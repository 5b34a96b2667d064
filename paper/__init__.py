"""The paper's experiments, and those that it could not afford, written with the public API alone.

``python -m paper --help`` in the root of the repository tells what can be run; ``make paper`` writes
``docs/research/paper.md`` and its figures anew.
"""
