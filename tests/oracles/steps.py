"""Work counted in steps, so that its growth is told without a clock, the same on every machine.

``steps`` runs a piece of work and counts the lines of Python that it goes through, the calls it makes,
and the sizes of what our own lines make and of the text and arrays that methods walk. It also says
which regular expressions were used; ``pattern_steps`` counts what one of those does on a text, by
matching it again in the slow, obvious way.
"""

from __future__ import annotations

import re
import sys
from re import _compiler, _constants as op, _parser
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

    Node = Callable[[int], Iterator[int]]

OURS = "steadyrank"
FROM_A_PLACE = {
    "find",
    "rfind",
    "index",
    "startswith",
    "endswith",
    "item",
    "view",
    "reshape",
}
"""Methods that need not walk through all of what they belong to."""

SIZED = {str, bytes, list, np.ndarray}
"""What has a size that counts."""

ONE_PLACE = {op.LITERAL, op.NOT_LITERAL, op.ANY, op.IN, op.AT, op.ASSERT, op.ASSERT_NOT}
"""What a regular expression says of one character, or of a place between two."""


def steps(work: Callable[[], object]) -> tuple[int, set[tuple[re.Pattern[Any], str]]]:
    """Run some work, and return its steps and the patterns it used, each with the name of the method."""
    count = 0
    patterns: set[tuple[re.Pattern[Any], str]] = set()
    made: dict[FrameType, dict[str, Any]] = {}

    def lines(frame: FrameType, event: str, _: object) -> Any:
        nonlocal count
        count += 1
        code = frame.f_code
        if OURS not in code.co_filename or code.co_name.startswith("<"):
            return lines  # what a comprehension makes is counted where it gets its name
        now = dict(frame.f_locals)
        if event != "call":  # what is handed over is made already
            before = made[frame]
            for (
                name,
                value,
            ) in now.items():  # for each line of a file with many: no generator here
                if type(value) in SIZED and value is not before.get(name):
                    count += _size(value)
        made[frame] = now
        if event == "return":
            del made[frame]
        return lines

    def calls(_: FrameType, event: str, called: Any) -> None:
        nonlocal count
        if event != "c_call":
            return
        count += 1
        owner = getattr(called, "__self__", None)
        if not isinstance(owner, list) and called.__name__ not in FROM_A_PLACE:
            count += _size(owner)
        if isinstance(owner, re.Pattern):
            patterns.add((owner, called.__name__))

    kept = sys.gettrace(), sys.getprofile()
    sys.settrace(lines)
    sys.setprofile(calls)
    try:
        work()
    finally:
        sys.settrace(kept[0])
        sys.setprofile(kept[1])
    return count, patterns


def _size(value: Any) -> int:
    """Return how much there is in text, a list or an array, and 0 of anything else."""
    if type(value) not in SIZED:
        return 0
    return value.size if isinstance(value, np.ndarray) else len(value)


def pattern_steps(pattern: re.Pattern[Any], method: str, text: Any) -> int:
    """Return how many characters a backtracking matcher looks at, in the whole work of a method."""
    matcher, start = Matcher(pattern, text), 0
    while start <= len(text):
        end = matcher.first(start, fully=method == "fullmatch")
        if method in {"match", "fullmatch"} or (end is not None and method == "search"):
            break
        start = start + 1 if end is None else max(end, start + 1)
    return matcher.looks


class Matcher:
    """A regular expression matched node by node: each gives the ends that it can reach from a start."""

    def __init__(self, pattern: re.Pattern[Any], text: Any) -> None:
        self.text = text
        self.looks = 0
        self.flags = pattern.flags
        self.parsed = _parser.parse(pattern.pattern, pattern.flags & re.VERBOSE)
        self.whole = self._sequence(self.parsed)

    def first(self, start: int, *, fully: bool = False) -> int | None:
        """Return where the first match from a start ends."""
        return next(
            (end for end in self.whole(start) if not fully or end == len(self.text)),
            None,
        )

    def _sequence(self, parsed: Any) -> Node:
        nodes = [self._node(*one) for one in parsed]

        def go(start: int) -> Iterator[int]:
            stack = [iter([start])]
            while stack:
                end = next(stack[-1], None)
                if end is None:
                    stack.pop()
                elif len(stack) > len(nodes):
                    yield end
                else:
                    stack.append(nodes[len(stack) - 1](end))

        return go

    def _node(self, code: Any, argument: Any) -> Node:
        if code in {op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT}:
            least, most, inner = argument
            found = self._repeat(
                self._sequence(inner), least, most, lazy=code is op.MIN_REPEAT
            )
            return _once(found) if code is op.POSSESSIVE_REPEAT else found
        if code is op.SUBPATTERN:
            return self._sequence(argument[-1])
        if code is op.ATOMIC_GROUP:
            return _once(self._sequence(argument))
        if code is op.BRANCH:
            branches = [self._sequence(branch) for branch in argument[1]]
            return lambda start: (end for branch in branches for end in branch(start))
        if code in {op.ASSERT, op.ASSERT_NOT} and argument[0] == 1:
            ahead, wanted = self._sequence(argument[1]), code is op.ASSERT
            return lambda start: iter(
                [start] * ((next(ahead(start), None) is not None) is wanted)
            )
        # What stands before a place has a fixed width, and is looked at once.
        assert code in ONE_PLACE, f"{code} is not counted yet"
        alone = _compiler.compile(
            _parser.SubPattern(self.parsed.state, [(code, argument)]), self.flags
        )

        def look(start: int) -> Iterator[int]:
            self.looks += 1
            found = alone.match(self.text, start)
            if found is not None:
                yield found.end()

        return look

    @staticmethod
    def _repeat(inner: Node, least: int, most: Any, *, lazy: bool) -> Node:
        def go(start: int) -> Iterator[int]:
            ends, tried = [start], [inner(start)]
            if lazy and least == 0:
                yield start
            while ends:
                end = next(tried[-1], None) if len(ends) <= int(most) else None
                if end is None:  # no further from here
                    tried.pop()
                    reached = ends.pop()
                    if not lazy and len(ends) >= least:
                        yield reached
                elif end != ends[-1] or len(ends) <= least:
                    ends.append(end)
                    tried.append(inner(end))
                    if lazy and len(ends) > least:
                        yield end

        return go


def _once(inner: Node) -> Node:
    return lambda start: iter(
        [end for end in [next(inner(start), None)] if end is not None]
    )
