"""Programs behind Services, for whoever comes through the API server's proxy.

The real server passes requests on to addresses of Endpoints alone that are also those of a Pod, and takes
none on loopback. So there is a Pod that says it has the address."""

import fcntl
import os
import socket
import struct
import subprocess

from support import objects
from support.rest import MERGE_PATCH

SIOCGIFADDR = 0x8915
SPARE = "198.18.0.1"  # Of the range for tests of networks.


def _addresses():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        for _, name in socket.if_nameindex():
            request = struct.pack("256s", name.encode()[:15])
            try:
                answer = fcntl.ioctl(asked, SIOCGIFADDR, request)
            except OSError:  # It has none.
                continue
            yield socket.inet_ntoa(answer[20:24])


def local_address():
    """An address of this machine that is not on loopback."""
    for address in _addresses():
        if not address.startswith(("127.", "169.254.")):
            return address
    assert os.geteuid() == 0, "this machine has no address but on loopback"
    subprocess.run(["ip", "addr", "replace", f"{SPARE}/32", "dev", "lo"], check=True)
    return SPARE


def _pod(name):
    """Of no scheduler that is there, and no more than the namespace of the daemons allows."""
    container = {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}
    return objects.pod(
        name,
        scheduler="nobody",
        container={"securityContext": container},
        securityContext={"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}},
    )


class ProxiedService:
    """A Service at a port that leads to a program on this machine."""

    def __init__(self, rest, namespace, name, port, address, target):
        self._rest, self._made = rest, []
        self._core = f"/api/v1/namespaces/{namespace}"
        rest.post("/api/v1/namespaces", {"metadata": {"name": namespace}})
        try:
            self._make("services", name, {"spec": {"ports": [{"port": port, "targetPort": target}]}})
            self._make("pods", name, _pod(name))
            addresses = {"podIP": address, "podIPs": [{"ip": address}], "phase": "Running"}
            status = f"{self._core}/pods/{name}/status"
            rest.patch(status, {"status": addresses}, MERGE_PATCH).expect(200)
            pod = {"kind": "Pod", "namespace": namespace, "name": name}
            subset = {"addresses": [{"ip": address, "targetRef": pod}], "ports": [{"port": target}]}
            self._make("endpoints", name, {"subsets": [subset]})
        except BaseException:
            self.close()
            raise

    def _make(self, plural, name, body):
        body = {**body, "metadata": {**body.get("metadata", {}), "name": name}}
        self._rest.post(f"{self._core}/{plural}", body).expect(201)
        self._made.append(f"{self._core}/{plural}/{name}")

    def close(self):
        for path in reversed(self._made):
            self._rest.delete(path, gracePeriodSeconds=0)
