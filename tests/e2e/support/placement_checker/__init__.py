"""An independent judge of placements: the scheduling rules as Kubernetes documents them.

Nothing here knows the scheduler's code. `rules.py` lists the rules, which stand in modules by what
they look at; `replay.py` plays placements back in their order; `kept.py` knows of room that is kept
for gangs; `verdict.py` judges everything.
"""

from support.placement_checker.model import Cluster, Pod
from support.placement_checker.rules import RULES, refusals
from support.placement_checker.verdict import Course, Verdict, judge

__all__ = ["RULES", "Cluster", "Course", "Pod", "Verdict", "judge", "refusals"]
