"""Follows a list of objects from its present state on."""

import threading


class Follower:
    """Calls `note` with each object as listed, then as each event shows it. A broken watch is taken
    up where it ended; only when the server has forgotten that place (as after its restart) the
    objects are listed anew.
    """

    def __init__(self, rest, path, note):
        self._rest = rest
        self._path = path
        self._note = note
        self.lists = 0
        self._version = self._list()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._follow, daemon=True)
        self._thread.start()

    def _list(self):
        listed = self._rest.get(self._path).expect(200)
        self.lists += 1
        for item in listed["items"]:
            self._note(item)
        return listed["metadata"]["resourceVersion"]

    def _follow(self):
        while not self._ended.is_set():
            try:
                if self._version is None:
                    self._version = self._list()
                self._watch_once()
            except Exception:  # The server is being restarted: go on when it answers again.
                self._ended.wait(0.05)

    def _watch_once(self):
        for event in self._rest.watch(self._path, resourceVersion=self._version, timeoutSeconds=2):
            if event["type"] in ("ERROR", "HTTP"):
                if event["object"].get("code") == 410:
                    self._version = None
                return
            self._version = event["object"]["metadata"]["resourceVersion"]
            self._note(event["object"])
            if self._ended.is_set():
                return

    def end_soon(self):
        """Ends with the next event, or with the watch; `close` waits for it."""
        self._ended.set()

    def close(self):
        self._ended.set()
        self._thread.join(10)
