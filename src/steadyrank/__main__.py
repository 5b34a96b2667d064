"""``python -m steadyrank``, and the command ``steadyrank``: both begin here."""

import sys


def main() -> int:
    """Run the command line; an interruption while it is still being loaded ends it, too."""
    try:
        from steadyrank.cli import main as run

        return run()
    except KeyboardInterrupt:  # later ones are signals that the command line handles
        sys.stderr.write("steadyrank: interrupted.\n")
        return 130


if __name__ == "__main__":
    sys.exit(main())
