"""Label selectors, node selectors and tolerations, read as documented.

A function that reads a selector returns a question: a function from what is selected to bool.
"""


def matches_labels(selector):
    """A LabelSelector: none selects nothing, an empty one everything."""
    if selector is None:
        return lambda labels: False
    wanted = [_label_requirement(e) for e in selector.get("matchExpressions") or []]
    fixed = selector.get("matchLabels") or {}
    return lambda labels: (
        all(labels.get(key) == value for key, value in fixed.items())
        and all(question(labels) for question in wanted)
    )


def _label_requirement(expression):
    key, values = expression["key"], expression.get("values") or []
    return {
        "In": lambda labels: key in labels and labels[key] in values,
        # What has no such label has none of the values either.
        "NotIn": lambda labels: labels.get(key) not in values,
        "Exists": lambda labels: key in labels,
        "DoesNotExist": lambda labels: key not in labels,
    }[expression["operator"]]


def _whole_number(text):
    try:
        return int(text)
    except (TypeError, ValueError):
        return None


def _compare(expression, smaller):
    """Gt and Lt: both sides must be whole numbers."""
    key, bound = expression["key"], _whole_number((expression.get("values") or [None])[0])

    def question(labels):
        value = _whole_number(labels.get(key))
        if value is None or bound is None:
            return False
        return value < bound if smaller else value > bound

    return question


def _node_requirement(expression):
    if expression["operator"] in ("Gt", "Lt"):
        return _compare(expression, smaller=expression["operator"] == "Lt")
    return _label_requirement(expression)


def matches_node_terms(terms):
    """nodeSelectorTerms: one of them must hold, with all it says; one that says nothing never
    does."""
    read = []
    for term in terms or []:
        expressions = [_node_requirement(e) for e in term.get("matchExpressions") or []]
        fields = [_label_requirement(e) for e in term.get("matchFields") or []]
        if expressions or fields:
            read.append((expressions, fields))

    def question(node):
        labels = node["metadata"].get("labels") or {}
        known_fields = {"metadata.name": node["metadata"]["name"]}
        return any(
            all(q(labels) for q in expressions) and all(q(known_fields) for q in fields)
            for expressions, fields in read
        )

    return question


def tolerates(toleration, taint):
    if toleration.get("effect") and toleration["effect"] != taint["effect"]:
        return False
    operator = toleration.get("operator") or "Equal"
    if not toleration.get("key"):
        return operator == "Exists"
    if toleration["key"] != taint["key"]:
        return False
    if operator == "Exists":
        return True
    same = (toleration.get("value") or "") == (taint.get("value") or "")
    return operator == "Equal" and same


def tolerated(pod, taint):
    return any(tolerates(t, taint) for t in pod.spec.get("tolerations") or [])


def repelling_taints(node):
    """The taints that keep new pods away; PreferNoSchedule is only a preference."""
    taints = node["spec"].get("taints") or []
    return [t for t in taints if t["effect"] in ("NoSchedule", "NoExecute")]
