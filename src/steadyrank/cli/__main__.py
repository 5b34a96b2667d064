"""``python -m steadyrank.cli``: the same as the command ``steadyrank``."""

from __future__ import annotations

import sys

from steadyrank.cli import main

sys.exit(main())
