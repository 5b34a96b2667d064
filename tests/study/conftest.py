"""Every kind of data with every scorer that takes it."""

from __future__ import annotations

import pytest

from study.answer_cases import CASES


@pytest.fixture(params=CASES, scope="module")
def case(request):
    make, scorer = CASES[request.param]
    return make(), scorer
