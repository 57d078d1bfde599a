"""Plain requests over the official client's connections, for what its methods hide."""

import json
import time
import urllib.parse
from dataclasses import dataclass

JSON = "application/json"
JSON_PATCH = "application/json-patch+json"
MERGE_PATCH = "application/merge-patch+json"
STRATEGIC_PATCH = "application/strategic-merge-patch+json"
APPLY_PATCH = "application/apply-patch+yaml"
# A server that has just started, or just met a new kind, answers 429 until its store is read.
BUSY_TRIES = 10
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"


@dataclass
class Answer:
    status: int
    text: str
    headers: dict

    @property
    def body(self):
        return json.loads(self.text)

    def expect(self, status):
        """The body, when the status is as expected."""
        assert self.status == status, f"HTTP {self.status} instead of {status}: {self.text[:2000]}"
        return self.body

    def expect_failure(self, status, reason):
        """The Status object of a refusal; its code, reason and kind are checked."""
        body = self.expect(status)
        assert (body["kind"], body["status"]) == ("Status", "Failure"), body
        assert (body["code"], body["reason"]) == (status, reason), body
        return body


class Rest:
    def __init__(self, api_client):
        self._client = api_client
        self._pool = api_client.rest_client.pool_manager
        self._host = api_client.configuration.host

    def _headers(self, accept):
        headers = {"Accept": accept}
        self._client.update_params_for_auth(headers, [], ["BearerToken"])
        return headers

    def request(
        self, method, path, body=None, content_type=JSON, accept=JSON, headers=None, **query
    ):
        headers = {**self._headers(accept), **(headers or {})}
        data = None
        if body is not None:
            headers["Content-Type"] = content_type
            data = body if isinstance(body, (str, bytes)) else json.dumps(body)
        url = self._host + path
        if query:
            url += "?" + urllib.parse.urlencode(query)
        for _ in range(BUSY_TRIES):
            answer = self._pool.request(
                method, url, body=data, headers=headers, timeout=30, retries=False
            )
            if answer.status != 429 or "Retry-After" not in answer.headers:
                break
            time.sleep(float(answer.headers["Retry-After"]))
        return Answer(answer.status, answer.data.decode(), dict(answer.headers))

    def get(self, path, **more):
        return self.request("GET", path, **more)

    def post(self, path, body, **more):
        return self.request("POST", path, body, **more)

    def put(self, path, body, **more):
        return self.request("PUT", path, body, **more)

    def patch(self, path, body, content_type, **more):
        return self.request("PATCH", path, body, content_type=content_type, **more)

    def delete(self, path, body=None, **more):
        return self.request("DELETE", path, body, **more)

    def watch(self, path, **query):
        """Yields the events of one watch until the server closes it; each read waits up to 30 s."""
        headers = self._headers(JSON)
        query = {"watch": "true", **query}
        url = f"{self._host}{path}?{urllib.parse.urlencode(query)}"
        answer = self._pool.request(
            "GET", url, headers=headers, preload_content=False, timeout=30, retries=False
        )
        try:
            if answer.status != 200:
                text = answer.read(decode_content=True).decode()
                yield {"type": "HTTP", "status": answer.status, "object": json.loads(text)}
                return
            rest = b""
            for chunk in answer.stream(1 << 16, decode_content=True):
                *lines, rest = (rest + chunk).split(b"\n")
                for line in lines:
                    if line.strip():
                        yield json.loads(line)
        finally:
            answer.close()
