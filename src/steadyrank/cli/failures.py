"""Whatever goes wrong: one clear message on standard error and an exit code, never a traceback."""

from __future__ import annotations

import errno
import re
import sys
from typing import TYPE_CHECKING, Any

from steadyrank.cli.output import stdout_to_nowhere
from steadyrank.errors import SteadyrankError

if TYPE_CHECKING:
    from collections.abc import Sequence

BAD_INPUT = 2
INTERRUPTED = 130

RENAMED = {"outcome": "winner", "units": "unit", "rating": "score", "value": "score", "voter": "user"}
"""Arguments of the library whose option has another name."""

OPTIONS = (
    "kind", "format", "encoding", "missing", "duplicates", "claim", "row", "item", "user", "left",
    "right", "count", "choice", "ballot", "rank", "response", "approval", "eps", "delta", *RENAMED,
)  # fmt: skip

AS_ARGUMENT = re.compile(rf"\b({'|'.join(OPTIONS)})=(\.\.\.|'[^']*'|\"[^\"]*\")")

HELPFUL = (
    (re.compile(r"BradleyTerry\(ridge=([^)]*)\)"), r"--scorer bradley-terry:ridge=\1"),
    (re.compile(r"Ridge\(penalty\)"), "--scorer ridge:penalty=1"),
    (re.compile(r"ConstrainedLeastSquares\(radius\)"), "--scorer constrained-least-squares:radius=1"),
)
"""Ways out that the library writes in Python, as one types them here."""


def run_guarded(app: Any, arguments: Sequence[str]) -> int:
    """Run the application and return the exit code; say what went wrong, if anything did."""
    try:
        code = app(args=list(arguments), prog_name="steadyrank", standalone_mode=False)
        sys.stdout.flush()
    except KeyboardInterrupt:
        code = INTERRUPTED
    except BrokenPipeError:  # the help, read by something that stopped reading
        stdout_to_nowhere()
        return 0
    except Exception as error:  # nothing may end in a traceback
        return _report(error)
    return say("interrupted.", INTERRUPTED) if code == INTERRUPTED else int(code or 0)


def _report(error: Exception) -> int:
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
        return in_options(str(error))
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


def in_options(text: str) -> str:
    """Return a message of the library with its arguments written as options.

    Examples
    --------
    >>> in_options("Give it as kind=..., or use missing='drop'.")
    'Give it as --kind ..., or use --missing drop.'
    """
    for pattern, instead in HELPFUL:
        text = pattern.sub(instead, text)
    return AS_ARGUMENT.sub(_as_option, text)


def _as_option(found: re.Match[str]) -> str:
    name, value = found[1], found[2]
    return f"--{RENAMED.get(name, name)} {value.strip(chr(34) + chr(39))}"


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
