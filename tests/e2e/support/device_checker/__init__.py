"""Judges which devices claims were given: written from the documentation of Kubernetes, without a
look at the scheduler's own code."""

from support.device_checker.history import LendingHistory
from support.device_checker.verdict import judge

__all__ = ["LendingHistory", "judge"]
