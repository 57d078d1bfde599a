"""Service accounts: programs that may do what their role says, and no more."""

import copy
import pathlib

import yaml

from support.processes import ROOT

_PLURALS = {
    "ServiceAccount": ("/api/v1", "serviceaccounts"),
    "ClusterRole": ("/apis/rbac.authorization.k8s.io/v1", "clusterroles"),
    "ClusterRoleBinding": ("/apis/rbac.authorization.k8s.io/v1", "clusterrolebindings"),
    "Role": ("/apis/rbac.authorization.k8s.io/v1", "roles"),
    "RoleBinding": ("/apis/rbac.authorization.k8s.io/v1", "rolebindings"),
    "Namespace": ("/api/v1", "namespaces"),
}


def install(rest, *manifests, account=None, but=()):
    """Creates what the manifests of deploy/ hold, unless it is there; with `account`, for a service
    account of that name instead of the one they name. Kinds in `but` are left out."""
    for manifest in manifests:
        for body in yaml.safe_load_all((ROOT / "deploy" / manifest).read_text()):
            if body["kind"] in but:
                continue
            if account:
                _rename(body, account)
            group, plural = _PLURALS[body["kind"]]
            namespace = body["metadata"].get("namespace")
            place = f"/namespaces/{namespace}" if namespace else ""
            answer = rest.post(f"{group}{place}/{plural}", body)
            assert answer.status in (201, 409), answer.text


def _rename(body, account):
    if body["kind"] == "ServiceAccount":
        body["metadata"]["name"] = account
    if body["kind"].endswith("Binding"):
        body["metadata"]["name"] += f"-{account}"
        for subject in body["subjects"]:
            subject["name"] = account


def token_of(backend, namespace, account):
    """A token of the account for two hours."""
    path = f"/api/v1/namespaces/{namespace}/serviceaccounts/{account}/token"
    body = {
        "apiVersion": "authentication.k8s.io/v1",
        "kind": "TokenRequest",
        "spec": {"expirationSeconds": 7200},
    }
    return backend.rest().post(path, body).expect(201)["status"]["token"]


def admin_token(backend):
    """The token that the backend's kubeconfig shows."""
    config = yaml.safe_load(pathlib.Path(backend.kubeconfig).read_text())
    return config["users"][0]["user"]["token"]


def kubeconfig_of(backend, namespace, account, folder):
    """A kubeconfig that shows a token of the account, and nothing else."""
    token = token_of(backend, namespace, account)
    admin = yaml.safe_load(pathlib.Path(backend.kubeconfig).read_text())
    config = copy.deepcopy(admin)
    for user in config["users"]:
        user["user"] = {"token": token}
    written = pathlib.Path(folder) / f"{account}.kubeconfig"
    written.write_text(yaml.safe_dump(config))
    return str(written)
