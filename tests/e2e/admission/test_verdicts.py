"""What is admitted, and what is said of the rest: one table for every way there is."""

import pytest

from support import verdict_cases

CASES = verdict_cases.load()


@pytest.mark.parametrize("case", CASES, ids=repr)
@pytest.mark.backend("kube")
def test_webhooks(webhook, case):
    webhook.until_as_told(case, "webhook")


@pytest.mark.parametrize("case", CASES, ids=repr)
@pytest.mark.backend("kube")
def test_policies(policy, case):
    policy.until_as_told(case, "policy")
