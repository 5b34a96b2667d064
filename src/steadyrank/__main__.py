"""``python -m steadyrank``: the same as the command ``steadyrank``."""

import sys

from steadyrank.cli import main

sys.exit(main())
