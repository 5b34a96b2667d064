"""Where the group-bys run when the data outgrow memory or the machine.

``Ratings.scan``, ``Votes.scan``, ``Battles.scan`` and ``ScoreMatrix.scan`` take a DuckDB relation, a
PySpark DataFrame or a path of Parquet files with wildcards; the classes here say which engine reads
the files and what it may use.
"""

from __future__ import annotations

from steadyrank.engines.backends import DuckDB, Spark

__all__ = ["DuckDB", "Spark"]
