"""Headless Chromium, driven over its DevTools protocol."""

import base64
import json
import pathlib
import shutil
import tempfile

import websocket

from support.daemon import fetch
from support.poll import until
from support.processes import Process

# Debian's name first.
NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--headless=new",
    "--no-sandbox",  # Containers have no user namespaces; it visits nothing but our own pages.
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--no-proxy-server",
    "--ignore-certificate-errors",  # Servers of tests make their own.
    "--hide-scrollbars",
    "--remote-debugging-port=0",
)
ANSWER_WITHIN_S = 60


def program():
    """Chromium, or None."""
    return next((found for name in NAMES if (found := shutil.which(name))), None)


class Browser:
    """One Chromium with a profile of its own; its tabs share nothing with each other's storage."""

    def __init__(self, folder, flags=()):
        # Its sockets have long names, which deep folders do not leave room for.
        self._profile = tempfile.mkdtemp(prefix="bth-chromium-")
        argv = [program(), *FLAGS, *flags, f"--user-data-dir={self._profile}", "about:blank"]
        self.process = Process("chromium", argv, folder)
        told = pathlib.Path(self._profile) / "DevToolsActivePort"
        until(
            lambda: self.process.check() and told.exists() and told.read_text().count("\n"),
            60,
            lambda: f"chromium listens; its log:\n{self.process.tail()}",
        )
        self._port = int(told.read_text().split("\n")[0])
        _, text = fetch(f"http://127.0.0.1:{self._port}/json/version")
        self._line = Line(json.loads(text)["webSocketDebuggerUrl"])

    def tab(self, width=1280, height=900, dark=False):
        """A tab with an empty page, and with storage of its own."""
        context = self._line.send("Target.createBrowserContext")["browserContextId"]
        made = self._line.send("Target.createTarget", url="about:blank", browserContextId=context)
        url = f"ws://127.0.0.1:{self._port}/devtools/page/{made['targetId']}"
        return Tab(Line(url), width, height, dark)

    def close(self):
        self._line.close()
        self.process.close()
        shutil.rmtree(self._profile, ignore_errors=True)


class Line:
    """A connection to one target: commands and their answers, and the events in between."""

    def __init__(self, url):
        # Chromium refuses the origin that the library would name.
        self._socket = websocket.create_connection(
            url, timeout=ANSWER_WITHIN_S, suppress_origin=True
        )
        self._last = 0
        self.events = []

    def send(self, method, **params):
        self._last += 1
        self._socket.send(json.dumps({"id": self._last, "method": method, "params": params}))
        while True:
            told = json.loads(self._socket.recv())
            if told.get("id") == self._last:
                assert "error" not in told, f"{method}: {told['error']}"
                return told["result"]
            self.events.append(told)

    def close(self):
        self._socket.close()


class Tab:
    """One page of the browser. What it complains of is kept in `complaints`."""

    def __init__(self, line, width, height, dark):
        self._line = line
        for domain in ("Page", "Runtime", "Log", "Network"):
            line.send(f"{domain}.enable")
        self.resize(width, height)
        self.media(dark=dark)

    def resize(self, width, height):
        self._line.send(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )

    def media(self, dark=False, still=True):
        features = {
            "prefers-color-scheme": "dark" if dark else "light",
            "prefers-reduced-motion": "reduce" if still else "no-preference",
        }
        listed = [{"name": name, "value": value} for name, value in features.items()]
        self._line.send("Emulation.setEmulatedMedia", features=listed)

    def before(self, script):
        """Has every page of this tab begin with the script."""
        self._line.send("Page.addScriptToEvaluateOnNewDocument", source=script)

    def visit(self, url):
        told = self._line.send("Page.navigate", url=url)
        assert not told.get("errorText"), told
        self.until("document.readyState === 'complete'", "the page is loaded")

    def reload(self):
        # The old document stays for a moment, and looks loaded.
        self.run("window.isOld = true; location.reload()")
        self.until("!window.isOld && document.readyState === 'complete'", "the page is loaded anew")

    def run(self, script):
        """The value of an expression, awaited if it is a promise."""
        told = self._line.send(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True
        )
        assert "exceptionDetails" not in told, told["exceptionDetails"]
        return told["result"].get("value")

    def until(self, script, what=None, within=30):
        """Waits until the expression is true, and returns its value."""
        return until(
            lambda: self.run(script),
            within,
            lambda: f"{what or script}; the page shows:\n{self.text()}\n{self.complaints()}",
        )

    def text(self, selector="body"):
        """What is to be read there."""
        return self.run(f"document.querySelector({json.dumps(selector)})?.innerText ?? ''")

    def until_text(self, text, selector="main", within=30):
        self.until(
            f"(document.querySelector({json.dumps(selector)})?.innerText ?? '')"
            f".includes({json.dumps(text)})",
            f"{selector} says {text!r}",
            within,
        )

    def key(self, name, shift=False):
        """Presses one key: "Tab", "ArrowDown", "Enter"."""
        codes = {"Tab": 9, "Enter": 13, "Escape": 27, "End": 35, "Home": 36, "ArrowLeft": 37}
        codes |= {"ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}
        common = {"key": name, "code": name, "windowsVirtualKeyCode": codes[name]}
        common["modifiers"] = 8 if shift else 0
        text = {"text": "\r"} if name == "Enter" else {}
        self._line.send("Input.dispatchKeyEvent", type="keyDown", **common, **text)
        self._line.send("Input.dispatchKeyEvent", type="keyUp", **common)

    def type(self, text):
        """Types into what has the focus."""
        self._line.send("Input.insertText", text=text)

    def focused(self):
        """The text, label or id of what has the focus."""
        return self.run(
            "(e => e === document.body ? '' : e.id || e.dataset.queue || e.textContent)"
            "(document.activeElement)"
        )

    def tree(self):
        """The accessibility tree: (role, name, properties) of what a screen reader is told."""
        self._line.send("Accessibility.enable")
        nodes = self._line.send("Accessibility.getFullAXTree")["nodes"]
        told = []
        for node in nodes:
            if node.get("ignored"):
                continue
            properties = {p["name"]: p["value"].get("value") for p in node.get("properties", [])}
            role = node.get("role", {}).get("value", "")
            told.append((role, node.get("name", {}).get("value", ""), properties))
        return told

    def screenshot(self, path, whole=True):
        told = self._line.send("Page.captureScreenshot", captureBeyondViewport=whole)
        pathlib.Path(path).write_bytes(base64.b64decode(told["data"]))

    def complaints(self):
        """Errors of the page's script, and what the browser refused it. Requests that the API
        server refuses are no errors of the page."""
        self.run("1")  # Whatever was under way has been told by now.
        found = []
        for event in self._line.events:
            params = event.get("params", {})
            if event["method"] == "Runtime.exceptionThrown":
                found.append(params["exceptionDetails"].get("exception", {}).get("description"))
            if event["method"] == "Log.entryAdded" and params["entry"]["level"] == "error":
                if params["entry"]["source"] != "network":
                    found.append(params["entry"]["text"])
            if event["method"] == "Runtime.consoleAPICalled" and params["type"] == "error":
                found.append(str([a.get("value") for a in params["args"]]))
        return found

    def requests(self):
        """The addresses that were asked for."""
        sent = [e for e in self._line.events if e["method"] == "Network.requestWillBeSent"]
        return [e["params"]["request"]["url"] for e in sent]

    def close(self):
        self._line.send("Page.close")
        self._line.close()
