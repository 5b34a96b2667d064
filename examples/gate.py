"""A gate for CI: fail if a single task can change the winners that we are about to publish."""

from __future__ import annotations

import sys

from steadyrank import ScoreMatrix, audit
from steadyrank.demo import demo_file

K, MOST = 3, 0.0

with demo_file("benchmark.csv") as path:
    matrix = ScoreMatrix.read(path)

found = audit(matrix, k=K, eps=1e-6, methods=("topk", "inflated_topk"))
delta = found.row("topk", K).delta
print(f"delta of the plain top {K}: {delta:.3f}, allowed {MOST}")
for flip in found.flips(K).plain:
    print(f"  without {flip.unit}: {flip.leaves} out, {flip.enters} in")
sys.exit(delta > MOST)
