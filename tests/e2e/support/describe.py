"""What tests read of kubectl, where there is none: an object as it is and its events, or its row."""

import json

from support.objects import SCHEDULING

_KINDS = {
    "pod": "/api/v1/namespaces/{}/pods",
    "podgroup": SCHEDULING + "/namespaces/{}/podgroups",
    "queue": SCHEDULING + "/queues",
    "vcjob": "/apis/batch.volcano.sh/v1alpha1/namespaces/{}/jobs",
    "cronvcjob": "/apis/batch.volcano.sh/v1alpha1/namespaces/{}/cronjobs",
    "jobflow": "/apis/flow.volcano.sh/v1alpha1/namespaces/{}/jobflows",
}


_TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"


def get(rest, namespace, kind, name):
    table = rest.get(f"{_KINDS[kind].format(namespace)}/{name}", accept=_TABLE).expect(200)
    return "  ".join(str(cell) for cell in table["rows"][0]["cells"])


def describe(rest, namespace, kind, name):
    body = rest.get(f"{_KINDS[kind].format(namespace)}/{name}").expect(200)
    lines = [json.dumps(part, ensure_ascii=False) for part in (body.get("spec"), body["metadata"])]
    status = body.get("status") or {}
    for condition in status.get("conditions") or []:
        lines += [f"{key}: {value}" for key, value in condition.items()]
    for key, value in (status.get("state") or {}).items() if kind == "vcjob" else ():
        lines.append(f"{key.title()}: {value}")
    told = rest.get("/api/v1/events", fieldSelector=f"involvedObject.uid={body['metadata']['uid']}")
    for event in told.expect(200)["items"]:
        age, source = "1s", event["source"]["component"]
        lines.append(f"{event['type']} {event['reason']} {age} {source} {event['message']}")
    return "\n".join(lines)
