"""Plays placements back in the order in which they were made.

Affinity and spread are judged when a pod is placed, so their order matters, and it cannot be seen
exactly: a scheduler decides about many pods, then sends the bindings side by side, so that
neighbours in its order may land the other way round. The pods of a gang are decided together, one
after the other, and bound together: inside a gang any order may be the true one. So each pod may
move by a bounded number of places, at most `slack`, and an order in which every pod was rightly
placed is searched:

- the members of a gang stand where the first of them was seen, in whatever order is right;
- a pod that is wrong where it was seen waits for those seen after it;
- one for which that does not help is put before those seen before it, alone or with others of its
  gang, if all stay right.

An order that is found proves the placements possible. The search is not exhaustive: when it fails,
a person has to look; `slack` must be larger than the scheduler's requests in flight and its gangs.
"""

from support.placement_checker.rules import RULES, refusals

BY_ORDER = tuple(rule for rule in RULES if rule.by_order)


class Replay:
    """`cluster` holds who was there before, and in the end everybody; `gang_of` names the gang of
    a pod."""

    def __init__(self, cluster, slack, gang_of):
        self._cluster = cluster
        self._gang_of = gang_of
        self._slack = slack
        self.order = []  # (pod, node) as found.
        self.problems = []
        self.moved = 0  # How many pods are not where they were seen.

    def run(self, seen):
        """`seen`: (pod, node) in the order in which the placements were seen."""
        seen = self._gangs_together(seen)
        late = []  # (place in `seen`, pod, node)
        for place, (pod, node) in enumerate(seen):
            late.append((place, pod, node))
            self._place_what_can_be(late, place)
            while late and place - late[0][0] >= self._slack:
                self._squeeze_in(late)
                self._place_what_can_be(late, place)
        while late:
            self._squeeze_in(late)
            self._place_what_can_be(late, len(seen))
        return self

    def _gangs_together(self, seen):
        """The members of a gang next to the first of them, unless they were seen much later."""
        first, places = {}, []
        for place, (pod, _) in enumerate(seen):
            start = first.setdefault(self._gang_of(pod), place)
            places.append(start if place - start <= self._slack else place)
        return [seen[i] for i in sorted(range(len(seen)), key=lambda i: (places[i], i))]

    def _wrong(self, pod, node):
        return refusals(pod, self._cluster, [node], BY_ORDER).get(node)

    def _append(self, pod, node):
        self._cluster.place(pod, node)
        self.order.append((pod, node))

    def _pop(self):
        pod, node = self.order.pop()
        self._cluster.remove(pod)
        return pod, node

    def _place_what_can_be(self, late, now):
        """Each pod placed may be the one that another waits for: from the start again."""
        i = 0
        while i < len(late):
            place, pod, node = late[i]
            if self._wrong(pod, node):
                i += 1
                continue
            self._append(pod, node)
            self.moved += place != now
            late.pop(i)
            i = 0

    def _squeeze_in(self, late):
        """Puts the first of these before as few of the last ones as possible, if need be with those
        of its gang."""
        place, pod, node = late.pop(0)
        reasons = self._wrong(pod, node)
        if not reasons:
            self._append(pod, node)
            return
        tail = []
        while len(self.order) > max(0, place - self._slack):
            tail.insert(0, self._pop())
            mates = [entry[1:] for entry in late if self._gang_of(entry[1]) == self._gang_of(pod)]
            mates += [entry for entry in tail if self._gang_of(entry[0]) == self._gang_of(pod)]
            for company in ([], mates):
                if self._insert(pod, node, company, tail):
                    late[:] = [entry for entry in late if entry[1:] not in self.order]
                    self.moved += 1
                    return
        for entry in tail:
            self._append(*entry)
        self._append(pod, node)
        self.problems.append(f"{pod} on {node}: {reasons}, in whatever order")

    def _insert(self, pod, node, mates, tail):
        """The pod and all mates that go along, then what is left of the tail; or nothing."""
        start = len(self.order)
        left = [(pod, node), *mates]
        while (possible := next((e for e in left if not self._wrong(*e)), None)) is not None:
            left.remove(possible)
            self._append(*possible)
        if (pod, node) in self.order:
            early = self.order[start:]
            if self._append_all([entry for entry in tail if entry not in early]):
                return True
        while len(self.order) > start:
            self._pop()
        return False

    def _append_all(self, entries):
        """All of them or none; whether all are right."""
        for done, (pod, node) in enumerate(entries):
            if self._wrong(pod, node):
                for _ in range(done):
                    self._pop()
                return False
            self._append(pod, node)
        return True
