"""How large must a lead be before no single vote can matter? Votes, with a proved certificate."""

from __future__ import annotations

from steadyrank import Study, Votes

for lead in (0, 1, 2, 3, 4):
    votes = Votes(["ann", "bob"], counts=[500 + lead, 500])
    answer = Study(votes).topk(k=1, proved=True)
    print(f"lead of {lead}: {' or '.join(map(str, answer.members))}")
print(answer.certificate)
