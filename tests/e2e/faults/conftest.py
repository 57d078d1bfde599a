"""Options of stories: how long, and which."""

import random

import pytest

from support import backends


def pytest_addoption(parser):
    group = parser.getgroup("faults")
    group.addoption("--seconds", type=float, default=60, help="how long the story of many faults is")
    group.addoption("--minutes", type=float, default=30, help="how long the churn is")
    group.addoption("--series", help="a file for what was sampled during the churn")
    group.addoption("--seed", type=int, help="what is drawn from; else any, which is printed")


@pytest.fixture(scope="session")
def seed(request):
    given = request.config.getoption("--seed")
    return random.SystemRandom().randrange(1 << 30) if given is None else given


@pytest.fixture(scope="module")
def backend(request):
    """A server for each file: what a story leaves behind is no other's."""
    made = backends.make(request.config.getoption("--backend"))
    yield made
    made.close()
