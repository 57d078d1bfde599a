"""The scheduler of single pods as its own process."""

from support.daemon import Daemon
from support.processes import ours

NAME = "agent-scheduler"


class AgentScheduler(Daemon):
    """`vc-agent-scheduler` with its HTTP endpoints on loopback, and no other pages."""

    def __init__(self, kubeconfig, folder, name="vc-agent-scheduler", flags=()):
        argv = [ours("vc-agent-scheduler"), "--kubeconfig", kubeconfig, "--leader-elect=false"]
        argv += ["--debug-bind-address="]
        super().__init__(name, [*argv, *flags], folder)
