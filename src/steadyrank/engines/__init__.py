"""Where the group-bys run when the data outgrow memory or the machine.

:func:`steadyrank.read` takes a DuckDB relation, a PySpark DataFrame, or with ``engine`` a path of
Parquet files with wildcards; the classes here say which engine reads the files and what it may use.
"""

from __future__ import annotations

from steadyrank.engines.backends import DuckDB, Spark

__all__ = ["DuckDB", "Spark"]
