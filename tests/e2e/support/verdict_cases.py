"""Good and bad objects with the verdicts on them, from admission/cases/*.yaml.

A file has the `path` of a kind, a `base` object that is accepted, and `cases`. A case changes the base
by a merge patch (`with`); it is made, or, where there is a `before` (another patch) or `existing` (the
name of an object that is there), brought about by an update; with `delete`, the object of that name
goes. `queues` are there beforehand, `annotations` are those of the namespace; `namespace` names one
that is not made for the case. What is said:

    both: allowed, or a part of the refusal's text; or for each way of its own `webhook:`, `policy:`
    why: must stand where the two do not agree
    schema: the definition of the kind refuses it before anybody is asked
    made: what the object then has, of what the server fills in
"""

import copy
import pathlib

from support import quick_yaml
from support.processes import ROOT

FOLDER = ROOT / "tests/e2e/admission/cases"
WAYS = ("webhook", "policy")
KEYS = {
    "name", "with", "before", "existing", "delete", "queues", "annotations", "namespace", "both",
    "webhook", "policy", "why", "schema", "made",
}  # fmt: skip


def merged(target, patch):
    """RFC 7396."""
    if not isinstance(patch, dict):
        return copy.deepcopy(patch)
    result = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merged(result.get(key), value)
    return result


class Case:
    def __init__(self, kind, path, base, body):
        assert set(body) <= KEYS, f"{kind}: {body['name']}: unknown {set(body) - KEYS}"
        self.id = f"{kind}: {body['name']}"
        self.kind = kind
        self.path = path
        self.body = body
        self.base = base
        self.object = merged(base, body.get("with", {}))
        self.queues = body.get("queues", [])
        self.annotations = body.get("annotations")
        self.namespace = body.get("namespace")
        self.made = body.get("made", {})

    def told(self, way):
        """What that way says: "allowed" or a part of the refusal."""
        if "schema" in self.body:
            return self.body["schema"]
        return self.body["both"] if "both" in self.body else self.body[way]

    def allowed(self, way):
        return self.told(way) == "allowed"

    @property
    def before(self):
        return merged(self.base, self.body["before"]) if "before" in self.body else None

    def __repr__(self):
        return self.id


def load():
    cases = []
    for file in sorted(pathlib.Path(FOLDER).glob("*.yaml")):
        table = quick_yaml.load(file.read_text())
        cases += [Case(file.stem, table["path"], table["base"], body) for body in table["cases"]]
    return cases


def missing_from(made, expected):
    """Where `made` lacks what is expected of it: a text per place."""
    if isinstance(expected, dict):
        if not isinstance(made, dict):
            return [f"{made!r} instead of {expected!r}"]
        return [
            f"{key}: {text}"
            for key, value in expected.items()
            for text in missing_from(made.get(key), value)
        ]
    if isinstance(expected, list) and any(isinstance(one, dict) for one in expected):
        if not isinstance(made, list) or len(made) != len(expected):
            return [f"{made!r} instead of {expected!r}"]
        return [
            f"{index}: {text}"
            for index, value in enumerate(expected)
            for text in missing_from(made[index], value)
        ]
    return [] if made == expected else [f"{made!r} instead of {expected!r}"]
