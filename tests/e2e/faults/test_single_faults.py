"""Promises kept while parts of the cluster die, sleep, and are cut off from one another."""

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
