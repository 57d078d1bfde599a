"""vcctl doctor of webhooks: a bad job is tried, and not made."""

import json

import pytest

from support import webhook_manager as webhooks
from support.jobs import BATCH
from support.vcctl import Vcctl


@pytest.fixture
def look(backend, tmp_path):
    vcctl = Vcctl(backend.kubeconfig, tmp_path)

    def points():
        done = vcctl("doctor", "-o", "json")
        told = json.loads(done.out)["points"]
        return {p["subject"]: p for p in told if p["area"] == "webhooks"}

    return points


def test_webhooks_in_order(manager, prepared, look):
    points = look()
    trial = points.pop("trial of a bad job")
    assert (trial["level"], trial["found"]) == ("ok", "refused, as it must be")
    assert "validatejob.volcano.sh" in points
    assert {p["level"] for p in points.values()} == {"ok"}, points
    assert all("its caBundle expires in" in p["found"] for p in points.values()), points
    jobs = prepared.get(f"{BATCH}/jobs").expect(200)["items"]
    assert not [j for j in jobs if j["metadata"]["name"].startswith("vcctl-doctor-")]


def test_webhooks_that_nobody_serves(backend, prepared, look):
    webhooks.remove_all(prepared)
    trial = look()["trial of a bad job"]
    assert (trial["level"], "no webhooks" in trial["found"]) == ("warning", True), trial
    webhooks.install(prepared, "https://127.0.0.1:1")
    try:
        points = look()
    finally:
        webhooks.remove_all(prepared)
    trial = points.pop("trial of a bad job")
    assert (trial["level"], "failed calling webhook" in trial["found"]) == ("fault", True), trial
    assert {p["found"] for p in points.values()} == {
        "its caBundle is empty: the API server trusts no answer"
    }
