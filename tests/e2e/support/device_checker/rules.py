"""What must hold of one claim's devices, wherever they come from."""


def of_demands(claim, given):
    """`given` is [(result name, device)]. Each request has what it asks for."""
    problems = []
    for request, demands in claim.demands.items():
        mine = [(name, device) for name, device in given if name.split("/")[0] == request]
        names = {name for name, _ in mine}
        chosen = [d for d in demands if d.name in names]
        if len(names) != 1 or len(chosen) != 1:
            problems.append(f"request {request} is served as {sorted(names)}")
            continue
        (demand,) = chosen
        if not demand.all and len(mine) != demand.count:
            problems.append(f"request {request} has {len(mine)} devices of {demand.count}")
        for _, device in mine:
            if not demand.admits(device):
                problems.append(f"request {request} has {device.key}, which it does not select")
    return problems


def of_all(claim, given, node, offer):
    """A request for all devices has each one that it selects and that the node reaches."""
    problems = []
    for name, demand in _served(claim, given):
        if not demand.all:
            continue
        mine = {device.key for n, device in given if n == name}
        missing = {d.key for d in offer.reachable(node) if demand.admits(d)} - mine
        if missing:
            problems.append(f"request {name} is for all devices and lacks {sorted(missing)}")
    return problems


def _served(claim, given):
    names = {name for name, _ in given}
    return [(d.name, d) for ds in claim.demands.values() for d in ds if d.name in names]


def of_constraints(claim, given):
    problems = []
    for constraint in claim.constraints:
        of = constraint.get("requests")
        devices = [d for name, d in given if not of or name in of or name.split("/")[0] in of]
        match = constraint.get("matchAttribute")
        values = [d.attribute(match or constraint["distinctAttribute"]) for d in devices]
        wanted = min(1, len(values)) if match else len(values)
        if None in values or len(set(values)) != wanted:
            problems.append(f"constraint {constraint} of {claim.name}: {values}")
    return problems
