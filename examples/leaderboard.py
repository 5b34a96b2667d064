"""A leaderboard from battles: who is surely in the top 6, and which judges decide the rest."""

from __future__ import annotations

from steadyrank import Battles, audit, stable_topk
from steadyrank.demo import demo_file
from steadyrank.report.html import write_report

K = 6

with demo_file("chat_battles.csv") as path:
    battles = Battles.read(path, unit="judge")

answer = stable_topk(battles, k=K, delta=0)
print(answer)
flips = audit(battles, k=K, eps=answer.eps).flips(K)
print(flips)
for flip in flips.plain[:5]:
    print(f"  without {flip.unit}: {flip.leaves[0]} out, {flip.enters[0]} in")
write_report(battles, K, "leaderboard.html", delta=0, title="Chat models by 40 judges")
print("look at leaderboard.html")
