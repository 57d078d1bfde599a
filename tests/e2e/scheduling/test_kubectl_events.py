"""Events of cluster-scoped objects, as kubectl describe shows them."""

from support.poll import until
from support.scheduler import CONF


def test_a_refused_change_is_read_with_the_root_queue(world, new_scheduler, kubectl):
    daemon = new_scheduler()
    daemon.write_conf(CONF.replace("name: gang", "name: gagn"))

    def told():
        text = kubectl("describe", "queue", "root")
        events = text.partition("Events:")[2]
        return "PolicyRefused" in events and "gagn" in events

    until(told, 30, lambda: f"the event is shown: {kubectl('describe', 'queue', 'root')}")
