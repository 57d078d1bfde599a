"""Promises kept while parts of the cluster die, sleep, and are cut off from one another."""

import time

import pytest

from faults import catalogue
from faults.story import telling


@pytest.fixture(scope="module")
def story(backend, seed):
    """The cluster of the single faults."""
    with telling(backend, seed) as told:
        yield told


def pytest_generate_tests(metafunc):
    if "fault" in metafunc.fixturenames:
        names = catalogue.names_for(metafunc.config.getoption("--backend"))
        metafunc.parametrize("fault", names, ids=[n.replace(" ", "-") for n in names])


def test_a_fault(story, fault):
    """Each fault once, amid the work of users; what holds always is judged at once."""
    before = story.ledger.changes
    story.tell(fault, fair_s=2)
    assert story.problems_so_far() == []
    assert story.ledger.changes > before, "nobody did anything meanwhile"


def test_and_then_there_is_rest(story):
    found = story.judge()
    print(story.report())
    assert not found, "\n".join(found)


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
