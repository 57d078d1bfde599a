"""Host ports: address, protocol and number; the address 0.0.0.0 stands for all of them."""

ANY = "0.0.0.0"


def host_ports(pod):
    """Of the containers that stay: side cars count, init containers that end do not."""
    staying = [
        c for c in pod.spec.get("initContainers") or [] if c.get("restartPolicy") == "Always"
    ]
    return [
        (port.get("hostIP") or ANY, port.get("protocol") or "TCP", port["hostPort"])
        for container in (pod.spec.get("containers") or []) + staying
        for port in container.get("ports") or []
        if port.get("hostPort")
    ]


def clash(one, other):
    overlap = one[0] == other[0] or ANY in (one[0], other[0])
    return overlap and one[1:] == other[1:]


def ports(pod, cluster):
    wanted = pod.derived(host_ports)

    def refusal(name):
        if not wanted:
            return None
        for neighbour in cluster.on(name).pods:
            for taken in neighbour.derived(host_ports):
                for port in wanted:
                    if clash(port, taken):
                        return f"port {port[1]} {port[0]}:{port[2]} is held by {neighbour}"
        return None

    return refusal
