"""deploy/policies on a server."""

from support import quick_yaml
from support.processes import ROOT

REGISTRATION = "/apis/admissionregistration.k8s.io/v1"
PLURALS = {
    "ValidatingAdmissionPolicy": "validatingadmissionpolicies",
    "ValidatingAdmissionPolicyBinding": "validatingadmissionpolicybindings",
    "MutatingAdmissionPolicy": "mutatingadmissionpolicies",
    "MutatingAdmissionPolicyBinding": "mutatingadmissionpolicybindings",
}


def documents():
    """All of deploy/policies, as its kustomization lists them."""
    folder = ROOT / "deploy/policies"
    listed = quick_yaml.load((folder / "kustomization.yaml").read_text())["resources"]
    return [body for name in listed for body in quick_yaml.load_all((folder / name).read_text())]


def install(rest):
    for body in documents():
        rest.post(f"{REGISTRATION}/{PLURALS[body['kind']]}", body).expect(201)
