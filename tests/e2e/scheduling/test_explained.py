"""What vcctl explains with the scheduler's own words, through the API server's proxy, and without."""

import re

import pytest
import yaml

from support import accounts, proxied
from support.jobs import BATCH, job_spec, task
from support.poll import until
from support.processes import ROOT, free_port
from support.vcctl import Vcctl

NAMESPACE = "volcano-system"
SERVICE = "volcano-scheduler-explain"
ACCESS = "overlays/explain/access.yaml"


def install_access(rest):
    """What deploy/overlays/explain adds, but for the Service, whose pods are not here."""
    accounts.install(rest, "scheduler/namespace.yaml", "scheduler/rbac.yaml")
    accounts.install(rest, "overlays/explain/reviews.yaml", ACCESS, but=("Service",))


@pytest.fixture
def explaining(installed, world, new_scheduler, tmp_path):
    """A scheduler that vcctl finds behind the API server's proxy, as deploy/ puts it there."""
    rest = installed.rest()
    if installed.kind == "kube":
        install_access(rest)
        kubeconfig = accounts.kubeconfig_of(installed, NAMESPACE, "volcano-scheduler", tmp_path)
        address, port, secured = proxied.local_address(), free_port(), 443
        flags = [f"--debug-bind-address={address}:{port}", "--debug-self-signed"]
        daemon = new_scheduler(flags=flags, kubeconfig=kubeconfig)
    else:
        # As vc-standalone does it: on loopback nobody is asked who he is.
        daemon = new_scheduler()
        address, port, secured = "127.0.0.1", daemon.debug, 80
    service = proxied.ProxiedService(rest, NAMESPACE, SERVICE, secured, address, port)
    yield daemon
    service.close()


@pytest.fixture
def vcctl(installed, tmp_path):
    return Vcctl(installed.kubeconfig, tmp_path)


def explain(vcctl, world, name, *more):
    return vcctl("job", "explain", "-n", world.namespace, "-N", name, *more)


def said(done):
    """What was printed, without the line that tells how old the job is."""
    return done.out.partition("\n\n")[2]


def one_that_waits(world):
    """A gang that does not fit, once the scheduler has said so."""
    world.node(cpu=4)
    world.gang("g", 2, cpu="3")
    path = f"/apis/scheduling.volcano.sh/v1beta1/namespaces/{world.namespace}/podgroups/g"

    def refused():
        conditions = world.rest.get(path).expect(200).get("status", {}).get("conditions", [])
        return [c for c in conditions if c["type"] == "Unschedulable" and c["status"] == "True"]

    until(refused, 30, "the scheduler has refused it")
    return "g"


def test_the_access_is_in_the_chart_as_the_programs_ask_for_it():
    made = {
        (body["kind"], body["metadata"]["name"]): body
        for body in yaml.safe_load_all((ROOT / "deploy" / ACCESS).read_text())
    }
    (port,) = made["Service", SERVICE]["spec"]["ports"]
    reader = made["Role", "volcano-explain-reader"]["rules"]
    assert port["port"] == 443
    assert reader[0]["resourceNames"] == [f"https:{SERVICE}:{port['port']}"]
    assert reader[1]["resourceNames"] == ["volcano-explain"]
    assert ("ServiceAccount", "volcano-explain") in made


def test_the_scheduler_says_itself_why_a_job_waits(explaining, world, vcctl):
    name = one_that_waits(world)
    done = explain(vcctl, world, name)
    assert (done.code, done.err) == (0, ""), done
    assert "\nIt waits: it is admitted, and its gang has no place: " in done.out
    assert "\nThe scheduler's last cycle: held at GangMinimum\n" in done.out
    # One of the two would have had a place.
    refused = rf"\n  {world.namespace}/g-[01]: 1 Insufficient cpu\n"
    assert re.search(refused, done.out), done
    queues = vcctl("queue", "explain", "-n", "default")
    assert (queues.code, queues.err) == (0, ""), queues
    assert ", asks for 6\n" in queues.out


def test_without_the_scheduler_conditions_speak_and_it_is_told_why(explaining, world, vcctl):
    name = one_that_waits(world)
    note = "note: this is what conditions say; the scheduler was not heard: "
    # One that it does not know: nobody made its PodGroup.
    head = {"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "metadata": {"name": "j"}}
    path = f"{BATCH}/namespaces/{world.namespace}/jobs"
    world.rest.post(path, {**head, "spec": job_spec([task("a")])}).expect(201)
    unknown = explain(vcctl, world, "j")
    assert "It waits: it has no PodGroup.\n" in unknown.out, unknown
    assert unknown.err.startswith(f"{note}it does not know it: the last cycle knew no such "), unknown
    world.rest.delete(f"{path}/j")
    explaining.process.kill()
    # Nobody writes conditions any more, so that they are the same each time.
    unasked = explain(vcctl, world, name, "--scheduler-service=")
    assert (unasked.code, unasked.err) == (0, ""), unasked
    assert "It waits: " in unasked.out and "last cycle" not in unasked.out
    elsewhere = explain(vcctl, world, name, f"--scheduler-service={world.namespace}/none")
    assert (elsewhere.code, said(elsewhere)) == (0, said(unasked)), elsewhere
    assert elsewhere.err.startswith(f"{note}it is not there to be asked: "), elsewhere
    assert elsewhere.err.count("\n") == 1, elsewhere
    gone = explain(vcctl, world, name)
    assert (gone.code, said(gone)) == (0, said(unasked)), gone
    assert gone.err.startswith(f"{note}error trying to reach service: "), gone
    queues = vcctl("queue", "explain", "-n", "default")
    assert queues.code == 0 and "default: " in queues.out, queues
    assert queues.err.startswith("note: this is what queues say of themselves; "), queues


@pytest.mark.backend("kube")
def test_roles_say_who_may_ask_the_scheduler(installed, explaining, world, tmp_path):
    """Its own role lets one read jobs, the Role of deploy/ lets one ask the scheduler."""
    name = one_that_waits(world)
    rest, namespace = world.rest, world.namespace
    rbac = "/apis/rbac.authorization.k8s.io/v1"
    for account in ("reader", "stranger"):
        body = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": account}}
        rest.post(f"/api/v1/namespaces/{namespace}/serviceaccounts", body).expect(201)

    def subject(account):
        return {"kind": "ServiceAccount", "name": account, "namespace": namespace}

    view = {
        "metadata": {"name": "view-all"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "view-all"},
        "subjects": [subject("reader"), subject("stranger")],
    }
    rule = {"apiGroups": ["*"], "resources": ["jobs", "podgroups", "queues", "pods"]}
    role = {"metadata": {"name": "view-all"}, "rules": [{**rule, "verbs": ["get", "list"]}]}
    may_ask = {
        "metadata": {"name": "explain"},
        "roleRef": {
            "apiGroup": "rbac.authorization.k8s.io",
            "kind": "Role",
            "name": "volcano-explain-reader",
        },
        "subjects": [subject("reader")],
    }
    for path, body in (
        (f"{rbac}/clusterroles", role),
        (f"{rbac}/clusterrolebindings", view),
        (f"{rbac}/namespaces/{NAMESPACE}/rolebindings", may_ask),
    ):
        rest.post(path, body).expect(201)
        world.removes_later(f"{path}/{body['metadata']['name']}")
    reader = Vcctl(accounts.kubeconfig_of(installed, namespace, "reader", tmp_path), tmp_path)
    until(lambda: "last cycle" in explain(reader, world, name).out, 20, "the reader may ask")
    assert explain(reader, world, name).err == ""
    stranger = Vcctl(accounts.kubeconfig_of(installed, namespace, "stranger", tmp_path), tmp_path)
    done = explain(stranger, world, name)
    assert (done.code, "It waits: " in done.out, "last cycle" in done.out) == (0, True, False)
    assert "the scheduler was not heard: one may not ask it: " in done.err, done
    # The token opens these pages and nothing else.
    token = accounts.token_of(installed, NAMESPACE, "volcano-explain")
    shown = {"Batholith-Authorization": f"Bearer {token}"}
    pages = f"/api/v1/namespaces/{NAMESPACE}/services/https:{SERVICE}:443/proxy/debug"
    assert rest.request("GET", f"{pages}/queues", headers=shown).status == 200
    assert rest.request("GET", f"{pages}/dump", headers=shown).status == 403
    assert rest.request("GET", f"{pages}/queues").status == 401
