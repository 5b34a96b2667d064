"""Whatever goes wrong: one clear message on standard error and an exit code, never a traceback."""

from __future__ import annotations

import errno
import sys
from typing import TYPE_CHECKING, Any

from steadyrank.cli.output import stdout_to_nowhere
from steadyrank.errors import Option, SteadyrankError

if TYPE_CHECKING:
    from collections.abc import Sequence

BAD_INPUT = 2
INTERRUPTED = 130


def run_guarded(arguments: Sequence[str]) -> int:
    """Run the application and return the exit code; say what went wrong, if anything did."""
    try:
        from steadyrank.cli.app import make_app

        # Rich, and all that knows the data, take long to load: the overview does without.
        app: Any = make_app(overview=arguments[0].startswith("-"))
        code = app(args=list(arguments), prog_name="steadyrank", standalone_mode=False)
        sys.stdout.flush()
    except KeyboardInterrupt:
        code = INTERRUPTED
    except BrokenPipeError:  # the help, read by something that stopped reading
        stdout_to_nowhere()
        return 0
    except SystemExit:
        raise
    except BaseException as error:  # nothing may end in a traceback, and 1 is the code of "unstable"
        return _report(error)
    return say("interrupted.", INTERRUPTED) if code == INTERRUPTED else int(code or 0)


def _report(error: BaseException) -> int:
    if hasattr(error, "format_message"):  # a wrong option, found while parsing
        context = getattr(error, "ctx", None)
        command = getattr(context, "command_path", "steadyrank")
        return say(f"{error.format_message().rstrip('.')}. See: {command} --help", BAD_INPUT)
    if type(error).__name__ == "Abort":
        return say("interrupted.", INTERRUPTED)
    if isinstance(error, OSError):  # perhaps of standard output, which must not be tried again
        stdout_to_nowhere()
    return say(message_of(error), BAD_INPUT)


def message_of(error: BaseException) -> str:
    """Return what to tell the user about an error.

    Examples
    --------
    >>> message_of(PermissionError(13, "Permission denied", "secret.csv"))
    "'secret.csv': permission denied."
    """
    if isinstance(error, SteadyrankError):
        return error.worded(as_option)
    if isinstance(error, MemoryError):
        return "not enough memory for these data."
    if isinstance(error, OSError):
        place = "" if error.filename is None else f"{error.filename!r}: "
        why = (error.strerror or str(error) or type(error).__name__).lower()
        hint = " The disk is full." if error.errno == errno.ENOSPC else ""
        return f"{place}{why}.{hint}"
    return (
        f"something went wrong that should not ({type(error).__name__}: {error}). "
        "This is a fault of steadyrank; please report it with the command that you ran."
    )


def as_option(option: Option) -> str:
    """Return an argument of the library as one types it here.

    Examples
    --------
    >>> as_option(Option("wins_left")), as_option(Option("missing", "drop"))
    ('--wins-left ...', '--missing drop')
    """
    value = option.value if option.value is not None else "A,B,..." if option.several else "..."
    return f"--{option.name.replace('_', '-')} {value}"


def say(text: str, code: int) -> int:
    """Write one message to standard error, with nothing in it that steers a terminal."""
    from steadyrank.safe_text import shown

    stream = sys.stderr
    line = shown(f"steadyrank: {text}", getattr(stream, "encoding", None) or "utf-8")
    try:
        stream.write(line + "\n")
        stream.flush()
    except OSError:  # nobody reads it; the exit code is left
        pass
    return code
