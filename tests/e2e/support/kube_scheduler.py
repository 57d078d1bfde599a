"""Kubernetes' own scheduler as a process: the yardstick of the placement checker."""

import pathlib

from support.processes import Process, free_port, theirs

NAME = "default-scheduler"

# The shortest pauses: a pod that became possible is tried again at once.
CONF = """\
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
leaderElection: {{leaderElect: false}}
clientConnection: {{kubeconfig: "{kubeconfig}", qps: 10000, burst: 10000}}
podInitialBackoffSeconds: 1
podMaxBackoffSeconds: 1
"""


class KubeScheduler:
    def __init__(self, kubeconfig, folder):
        folder = pathlib.Path(folder)
        conf = folder / "kube-scheduler.yaml"
        conf.write_text(CONF.format(kubeconfig=kubeconfig))
        argv = [theirs("kube-scheduler"), "--config", conf, "--bind-address", "127.0.0.1"]
        argv += ["--secure-port", free_port(), "--cert-dir", folder / "kube-scheduler-certs"]
        self.process = Process("kube-scheduler", argv, folder)

    def close(self):
        self.process.close()
