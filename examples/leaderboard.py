"""A leaderboard from battles: who is sure of the top 6, and which judges decide the rest."""

from __future__ import annotations

from steadyrank import Study
from steadyrank.demo import demo_file

K = 6

with demo_file("chat_battles.csv") as path:
    study = Study(path, unit="judge")  # judges are removed once, for all that follows

answer = study.topk(K)
print(answer)
flips = study.flips(K)
print(flips)
for flip in flips.plain[:5]:
    print(f"  without {flip.unit}: {flip.leaves[0]} out, {flip.enters[0]} in")
study.report("leaderboard.html", K, title="Chat models by 40 judges")
print("look at leaderboard.html")
