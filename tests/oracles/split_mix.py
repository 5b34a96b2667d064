"""SplitMix64 in Python's integers: the slow twin of the streams."""

MASK = 2**64 - 1
STEP = 0x9E3779B97F4A7C15


def split_mix(state: int) -> int:
    state = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    state = ((state ^ (state >> 27)) * 0x94D049BB133111EB) & MASK
    return state ^ (state >> 31)
