"""What must hold of one claim's devices, wherever they come from."""

from support.quantity import parse


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
        missing = {d.key for d in offer.reachable(node) if demand.selects(d)} - mine
        if missing:
            problems.append(f"request {name} is for all devices and lacks {sorted(missing)}")
    return problems


def of_results(claim, found):
    """`found` is [(result, device)]. Each result says how the claim has the device."""
    problems = []
    demands = {d.name: d for ds in claim.demands.values() for d in ds}
    for result, device in found:
        demand = demands.get(result["request"])
        if demand is None:
            continue
        if bool(result.get("adminAccess")) != demand.admin:
            problems.append(f"{device.key} is given with adminAccess {not demand.admin}")
        if demand.admin:
            continue
        if bool(result.get("shareID")) != device.shared:
            problems.append(f"{device.key} is given with the share {result.get('shareID')}")
        wanted = demand.part(device) if device.shared else {}
        if consumed(result, device) != wanted:
            problems.append(f"{device.key} is consumed by {result.get('consumedCapacity')}")
    names = [device.key for _, device in found if not device.shared]
    twice = sorted({key for key in names if names.count(key) > 1})
    return problems + [f"{claim.name} has {key} twice" for key in twice]


def consumed(result, device):
    """Full name → what the result takes of a shared device. Names are those of its slice."""
    there = device.body.get("capacity") or {}
    taken = result.get("consumedCapacity") or {}
    return {(device.full(n) if n in there else n): parse(v) for n, v in taken.items()}


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
