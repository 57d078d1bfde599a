"""The controllers as their own process."""

from support.daemon import Daemon
from support.poll import until
from support.processes import ours


class Controllers(Daemon):
    """`vc-controller-manager` with its HTTP endpoints on loopback; it acts at once."""

    def __init__(self, kubeconfig, folder, name="vc-controller-manager", flags=()):
        argv = [ours("vc-controller-manager"), "--kubeconfig", kubeconfig, "--leader-elect=false"]
        super().__init__(name, [*argv, *flags], folder)

    def wait_acting(self, within=30):
        """Waits until all first lists are complete, which is when the controllers begin."""
        until(
            lambda: self.process.check() and self.is_ready(),
            within,
            lambda: f"{self.process.name} acts; its log:\n{self.process.tail()}",
        )
        return self
