"""A cluster and a load drawn at random, in which every scheduling rule has something to say.

`nodes.py`, `storage.py` and `pods.py` draw plain objects from one seeded generator; `features.py`
is what a pod may have; `stage.py` makes it all on an API server. The same seed gives the same
objects.
"""

from support.random_world.pods import Load
from support.random_world.stage import Stage

__all__ = ["Load", "Stage"]
