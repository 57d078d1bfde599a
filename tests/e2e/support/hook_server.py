"""A webhook for tests: HTTPS with a certificate of its own, answers that the test sets."""

import base64
import http.server
import json
import ssl
import subprocess
import threading


def certificate(folder, *hosts):
    """A self-signed certificate for the loopback address and other hosts; the paths of it and its
    key."""
    certificate, key = folder / "hook.crt", folder / "hook.key"
    names = ",".join(["subjectAltName=DNS:localhost,IP:127.0.0.1", *(f"DNS:{h}" for h in hosts)])
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
    command += ["-nodes", "-days", "2", "-subj", "/CN=hook", "-addext", names]
    command += ["-keyout", str(key), "-out", str(certificate)]
    subprocess.run(command, check=True, capture_output=True)
    return certificate, key


class HookServer:
    """`answer(request)` gives the members of the response beside its uid, or a pair of an HTTP code
    and a text. Every review is kept in `seen`. `hosts`: the names by which it is called, too."""

    def __init__(self, folder, *hosts):
        path, key = certificate(folder, *hosts)
        self.ca_bundle = base64.b64encode(path.read_bytes()).decode()
        self.seen = []
        self.answer = lambda request: {"allowed": True}
        hook = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):  # noqa: N802
                body = self.rfile.read(int(self.headers["Content-Length"]))
                code, text = hook.judge(self.path, json.loads(body))
                try:
                    self.send_response(code)
                    self.send_header("Content-Type", "application/json")
                    self.send_header("Content-Length", str(len(text)))
                    self.end_headers()
                    self.wfile.write(text)
                except OSError:  # Whoever asked does not wait for the answer any more.
                    self.close_connection = True

            def log_message(self, *_):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(path, key)
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def judge(self, path, review):
        request = review["request"]
        self.seen.append({"path": path.split("?")[0], "query": path.partition("?")[2], **request})
        answer = self.answer(request)
        if isinstance(answer, tuple):
            return answer[0], answer[1].encode()
        response = {"uid": request["uid"], **answer}
        body = {"apiVersion": review["apiVersion"], "kind": "AdmissionReview"}
        return 200, json.dumps({**body, "response": response}).encode()

    def close(self):
        self._server.shutdown()
        self._server.server_close()


def patching(*operations):
    """An answer that changes the object."""
    text = base64.b64encode(json.dumps(operations).encode()).decode()
    return {"allowed": True, "patchType": "JSONPatch", "patch": text}


def denying(message, **status):
    return {"allowed": False, "status": {"message": message, **status}}
