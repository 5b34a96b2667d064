"""Readers: from files and streams to tables, and to what their columns are.

The way of a file, one module for each step:

1. ``files`` opens it: unpacked, as UTF-8, in blocks of whole lines.
2. ``formats`` tells its format by its beginning, and calls what reads it.
3. ``delimited`` parts text into fields, with the header that ``headers`` finds; ``typed_files`` reads
   Parquet and spreadsheets, ``records`` JSON, ``adapters`` what has a grammar of its own.
4. ``table`` holds the columns: text of ``text_columns``, or values of dataframes, by way of ``arrays``.
5. ``profile`` looks at them, ``proposals`` say what they may be, ``deciding`` takes one or refuses, and
   ``roles`` hands the columns on.
6. ``labels`` and ``results`` give items, units and outcomes their numbers.
"""
