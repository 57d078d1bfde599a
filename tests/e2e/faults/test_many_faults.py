"""Faults one after the other and two at once, drawn from a seed."""

import time

from faults import catalogue
from faults.story import telling


def test_many_faults_in_a_row(request, backend, seed):
    seconds = request.config.getoption("--seconds")
    print(f"--seed {seed}")
    with telling(backend, seed) as story:
        end = time.monotonic() + seconds
        told = 0
        while time.monotonic() < end and not story.problems_so_far():
            faults = catalogue.draw(story.rng, backend.kind)
            print(f"{seconds - (end - time.monotonic()):6.0f} s  {' + '.join(faults)}", flush=True)
            story.tell(*faults, fair_s=story.rng.uniform(0, 6))
            told += len(faults)
        found = story.judge()
        print(f"{told} faults: {story.report()}")
        assert not found, "\n".join(found)
