"""vcctl pod list."""

import re

from support import objects


def make(rest, namespace, name, **metadata):
    body = objects.pod(name, metadata=metadata)
    rest.post(f"/api/v1/namespaces/{namespace}/pods", body).expect(201)


def names(done):
    assert done.code == 0, done
    return [line.split()[0] for line in done.out.splitlines()[1:]]


def test_pods_are_chosen_by_job_and_queue(vcctl, rest, namespace):
    vcctl("pod", "list", "-n", namespace).prints("No resources found\n")
    job, queue = "volcano.sh/job-name", "volcano.sh/queue-name"
    make(rest, namespace, "plain")
    make(rest, namespace, "of-job", labels={job: "j", queue: "q2"})
    make(rest, namespace, "of-queue", annotations={"scheduling.volcano.sh/queue-name": "q2"})
    listed = vcctl("pod", "list", "-n", namespace)
    assert re.fullmatch(
        r"Name          Ready      Status         Restart  Age {7}\n"
        r"of-job        0/1        Pending        0        \d+s {8}\n",
        listed.out,
    ), listed
    assert names(vcctl("pod", "list", "-n", namespace, "-j", "j")) == ["of-job"]
    assert names(vcctl("pod", "list", "-n", namespace, "-q", "q2")) == ["of-job", "of-queue"]
    vcctl("pod", "list", "-n", namespace, "-j", "none").prints("No resources found\n")
    why = "the input vcjob j does not match the queue q"
    vcctl("pod", "list", "-n", namespace, "-j", "j", "-q", "q").fails(f"Failed to list pod: {why}")
    everywhere = vcctl("pod", "list", "--all-namespaces")
    assert re.search(rf"^{namespace} +of-job +0/1 ", everywhere.out, re.MULTILINE)
