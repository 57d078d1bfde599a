#!/usr/bin/env python3
"""Records what kubectl prints, for the tests of cli/print.

Usage: record.py KUBECTL   (rewrites objects.json and answers.jsonl beside this script)

Serves the objects below on a loopback port, as an API server would, and runs `kubectl get` for each
case. An answer is {"set", "name", "args", "out", "err", "code"}; `name` is empty for lists.
"""

import http.server
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import threading

HERE = os.path.dirname(os.path.abspath(__file__))


def widget(name, **fields):
    meta = {"name": name, "creationTimestamp": "2026-01-02T03:04:05Z", "uid": "u-" + name}
    meta.update(fields.pop("metadata", {}))
    return {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": meta, **fields}


PIECES = ["a", "b7", "0", "1", "12", ".", "-", "+", "_", ":", ": ", " #", "#", "'", '"', "\\", "\n", " ",
          "  ", "\t", "{", "}", "[", "]", ",", "&", "*", "!", "|", ">", "%", "@", "`", "?", "? ", "- ",
          "=", "~", "null", "true", "No", "yes", "e", "e3", "x", "0x", "word", "words of a text",
          "é", "日本", "😀", "\x01", "\u00a0", "\u2028", "<", "/", "...", "---", "é"]
WORDS = ["", "y", "Y", "yes", "Yes", "YES", "yEs", "n", "N", "no", "on", "On", "ON", "off", "OFF", "true",
         "True", "TRUE", "tRUE", "false", "FALSE", "null", "Null", "NULL", "nUll", "~", "<<", ".nan", ".NaN",
         ".NAN", ".Nan", ".inf", ".Inf", ".INF", "-.inf", "+.inf", "+.Inf", "-.INF", "+.nan", "0", "-0",
         "+1", "1", "12", "-12", "012", "08", "0o17", "0O17", "0b101", "-0b11", "0b2", "0x1F", "0xg", "-0x1f",
         "1_000", "_1", "1__0", "1.5", ".5", "5.", "+.5", "-1.5e3", "1e3", "1E+3", "1e", "1e+", ".e3", ".",
         "..", "...", "1.2.3", "1:30", "12:30:45", "190:20:30.15", "1:60", "1:5", "12e03", "99999999999999999999",
         "9223372036854775808", "-9223372036854775809", "+9223372036854775808", "18446744073709551616",
         "0xffffffffffffffff", "0xfffffffffffffffff", "1e400", ".1e400", "2026-01-02", "2026-1-2", "2026-13-02",
         "2026-02-30", "2024-02-29", "2026-01-02T03:04:05Z", "2026-01-02t03:04:05Z", "2026-01-02T03:04:05",
         "2026-01-02 03:04:05", "2026-01-02 03:04:05.25", "2026-01-02T03:04:05.123+01:00",
         "2026-01-02T3:4:5Z", "2026-01-02T25:04:05Z", "2026-01-02 03:04:05 +1", "500m", "2Gi", "1.5Gi", "10%",
         "a: b", "a:b", "a :b", "a #b", "a#b", "- a", "-a", "-", "?a", "? a", ":a", ": a", "a:", "a: ", "=", "==",
         "[a]", "{a}", "{}", "[]", "a,b", "&a", "*a", "!a", "|a", ">a", "'a'", '"a"', "%a", "@a", "`a`", "#a",
         "it's", 'say "x"', "back\\slash", " a", "a ", "a  b", "a\tb", "\ta", "a\n", "a\nb", "a\nb\n",
         "a\n\n", "\na", "\n", "\n\n", " a\nb", "a \nb", "a\n b", "a\nb ", "a\n\tb", "a\r\nb", "a\rb",
         "#!/bin/sh\nset -e\necho \"hi: $X\"\n", "a\n\n\nb\n", "key: |\n  x\n", "é", "日本語", "😀", "a\u2028b",
         "\u00a0", "\ufffd", "a\x00b", "\x1b[31m", "---", "---a", "--- a", "...a", "--", "<a>", "a&b"]
LONG = "0/3 nodes are available: 1 node(s) had untolerated taint {key: value}, 2 Insufficient cpu. "


def random_texts(seed, count):
    rng = random.Random(seed)
    return ["".join(rng.choice(PIECES) for _ in range(rng.randint(1, 9))) for _ in range(count)]


def folded_texts(seed, count):
    rng = random.Random(seed)
    texts = [LONG, LONG * 3, "x" * 200, "x" * 79 + " y", "x" * 90 + "  two blanks", ("it's " * 40).strip(),
             ("tab\t and more " * 12), ("日本語 " * 40).strip(), "a: " * 50 + "b", " " * 100 + "x", "x" + " " * 100 + "y"]
    for _ in range(count):
        texts.append(" ".join("".join(rng.choice("abcde'\"\\:#é,") for _ in range(rng.randint(1, 14)))
                              for _ in range(rng.randint(8, 40))))
    return texts


# kubectl's order of keys runs in circles when zeros lead or letters follow numbers (v2 < v10 < v1beta1
# < v2), and is then another with each run. There are no such keys here.
KEYS = ["a", "B", "b", "A", "a1", "a2", "a10", "a-b", "a.b", "a/b", "a_b", "ab", "a b", "1", "2", "10",
        "x1y2", "x1y10", "", "y", "n", "true", "null", "~", "1.5", "é", "日", "-", "- a",
        "?", ":", "#", "a:", "a: b", "it's", "x" * 128, "x" * 129, "x" * 120 + " long key with blanks", "two\nlines",
        "v1", "v10", "v2", "100", "1000", "1001", "0", "a0", "😀", "tab\t"]

NUMBERS = [0, 1, -1, 1.0, 1.5, -0.25, 1e6, 1000000.5, 1e7, 1e20, 1e21, 1.5e300, 1e-5, 1e-6, 1e-7, 123456789.25, 1e15,
           12345678901234567000.0, 9007199254740993, 9223372036854775807, -9223372036854775808, 0.1, 1e19, 2e19, 100.0, 3.0e0]

# Lists of kubectl name the namespace that was asked for, whether objects do or not.
SETS = {
    "words": [widget("w", spec={"values": WORDS}, data={t: t for t in WORDS if len(t) < 12 and not t[:1].isdigit()})],
    "random": [widget("r", spec={"values": random_texts(1, 500)})],
    "folded": [widget("f", spec={"values": folded_texts(2, 40), "deep": {"deeper": [{"text": t} for t in folded_texts(3, 12)]}},
                      status={t: t for t in folded_texts(4, 3)})],
    "keys": [widget("k", data={k: "v" for k in KEYS}, more={k: {"in": [k]} for k in KEYS})],
    "numbers": [widget("n", spec={"values": NUMBERS, "flags": [True, False, None]})],
    "shapes": [widget("s", spec={"empty": {}, "none": [], "null": None, "nested": [[1, [2, []]], [{}], [{"a": 1, "b": [1]}]],
                                 "list": [{"name": "x", "items": [{"y": 1}, {"z": {}}]}, "text", ["in", {"a": {"b": 1}}]],
                                 ("k" * 130): [1, {"a": 2}], ("l" * 130): {"c": [1], "d": {}}, ("m" * 130): "text",
                                 ("n" * 130): [], ("o" * 130): "two\nlines"})],
    "managed": [widget("m", metadata={"managedFields": [{"manager": "x"}], "labels": {"app": "web", "example.com/team": "blue"}}),
                widget("o", metadata={"managedFields": [{"manager": "y"}], "labels": {"app": "db"}})],
    "none": [],
    "store": [widget("store", spec={
        "book": [{"category": "reference", "author": "Nigel Rees", "title": "Sayings", "price": 8.95, "n": 1},
                 {"category": "fiction", "author": "Evelyn Waugh", "title": "Sword (2)", "price": 12.99, "n": 2, "isbn": "0-553"},
                 {"category": "fiction", "author": "J. R. R.", "title": "The Lord", "price": 22.99, "n": 3, "isbn": "0-395", "sold": True},
                 {"category": "it's", "author": "A \"B\" <C> & D", "title": None, "price": 5, "n": 4, "sold": False}],
        "bicycle": {"color": "red", "price": 19.95, "tags": ["a", "b", "c"], "a.b": "dotted", "with space": "spaced"},
        "matrix": [[1, 2, 3], [4, 5, 6], [7]], "empty": [], "nothing": None, "big": 1e7, "text": "é\t\"x\"", "void": {},
        "groups": [{"name": "g1", "users": [{"name": "u1"}, {"name": "u2"}]}, {"name": "g2", "users": []},
                   {"name": "g3", "users": [{"name": "u3"}]}, None]})],
    "pods": [widget("pod-b", metadata={"namespace": "pods", "labels": {"app": "web", "tier": "1"}}, spec={"cpu": "500m", "n": 3, "f": 1.5, "when": "2026-01-02T03:04:05Z", "mixed": 1},
                    status={"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}, {"type": "Init", "status": "False"}]}),
             widget("pod-a", metadata={"namespace": "pods", "labels": {"app": "db"}}, spec={"cpu": "2", "n": 10, "f": 0.5, "when": "2025-01-02T03:04:05Z", "mixed": "x", "flag": True},
                    status={"phase": "Pending", "conditions": []}),
             widget("pod-c", metadata={"namespace": "pods"}, spec={"cpu": "1500m", "n": 2, "f": 10.5, "when": "2027-01-02T03:04:05Z", "map": {"b": 1, "a": [1, None, "x", 1.5]}},
                    status={"phase": "Running\nline", "message": "esc \x1b[31m\r x"})],
}

PATHS = [
    "plain text", "", "{}", "{ }", "{.}", "{@}", "{$}", "{$.kind}", "{.kind}{.kind}", "{.kind} and {.metadata.name}\n", "{.spec.bicycle}",
    "{.spec.bicycle.color}", "{['spec'].bicycle['color']}", "{.spec.bicycle['a\\.b']}", "{.spec.bicycle.a\\.b}",
    "{.spec.bicycle['a.b']}", "{.spec.bicycle['with space']}", "{.spec.bicycle.with\\ space}", "{.spec['bicycle','void']}",
    "{.spec.book[0].author}", "{.spec.book[*].author}", "{.spec.book[-1].author}", "{.spec.book[-4].author}", "{.spec.book[4].author}",
    "{.spec.book[-5].author}", "{.spec.book[0:2].n}", "{.spec.book[:2].n}", "{.spec.book[2:].n}", "{.spec.book[::2].n}",
    "{.spec.book[1::2].n}", "{.spec.book[-2:].n}", "{.spec.book[:-1].n}", "{.spec.book[-3:-1].n}", "{.spec.book[0:4:3].n}",
    "{.spec.book[0:4:0].n}", "{.spec.book[::-1].n}", "{.spec.book[3:1].n}", "{.spec.book[0:9].n}", "{.spec.book[9:10].n}",
    "{.spec.book[2:2].n}", "{.spec.book[].n}", "{.spec.book[:].n}", "{.spec.book[::].n}", "{.spec.book[-].n}", "{.spec.book[a].n}", "{.spec.book[ 0 ].n}",
    "{.spec.book[1:2:3:4].n}", "{.spec.book[99999999999999999999].n}", "{.spec.book[0,2].n}", "{.spec.book[0, 2,-1].n}", "{.spec.book[0,9].n}",
    "{.spec.book[0:2,3].n}", "{.spec.book[*]['author','n']}", "{.spec.book[\"n\"]}", "{.spec.matrix[*][0]}", "{.spec.matrix[0][1]}",
    "{.spec.matrix[*][*]}", "{.spec.matrix[*][1:]}", "{.spec.matrix[*][0:1]}", "{.spec.matrix}", "{.spec.empty}", "{.spec.empty[*]}", "{.spec.empty[0]}", "{.spec.nothing}",
    "{.spec.nothing.x}", "{.spec.nothing[0]}", "{.spec.void}", "{.spec.big}", "{.spec.text}", "{.spec.void.*}", "{.spec.bicycle.tags.*}",
    "{.spec.bicycle.tags[*]}", "{.kind.*}", "{.spec.book.*.n}", "{.spec.book.author}", "{.missing}", "{.missing.x}", "{.missing[0]}",
    "{.spec.bicycle[0]}", "{.kind[0]}", "{.spec.big[0]}", "{.spec.book[0].sold[0]}", "{.spec.book[2].sold[0]}", "{.spec.book[0].n[0]}",
    "{..isbn}", "{.spec.book..price}", "{..users[*].name}", "{..missing}", "{....kind}", "{.. ..kind}", "{..*}", "{..[0]}", "{.spec.bicycle.tags..}", "{.spec.matrix..}",
    "{.spec.book[?(@.price > 10.0)].title}", "{.spec.book[?(@.price<10.0)].n}", "{.spec.book[?(@.n<3)].n}", "{.spec.book[?(@.n<=3)].n}",
    "{.spec.book[?(@.n>3)].n}", "{.spec.book[?(@.n>=3)].n}", "{.spec.book[?(@.n==3)].n}", "{.spec.book[?(@.n!=3)].n}", "{.spec.book[?(@.n=3)].n}",
    "{.spec.book[?(@.n===3)].n}", "{.spec.book[?(@.n<>3)].n}", "{.spec.book[?(@.isbn)].n}", "{.spec.book[?(@.sold==true)].n}", "{.spec.book[?(@.sold==false)].n}",
    "{.spec.book[?(@.sold<true)].n}", "{.spec.book[?(@.sold)].n}", "{.spec.book[?(@.category==\"fiction\")].n}", "{.spec.book[?(@.category=='fiction')].n}",
    "{.spec.book[?(@.category==\"it's\")].n}", "{.spec.book[?(@.title==\"Sword (2)\")].n}", "{.spec.book[?(@.author==\"A \\\"B\\\" <C> & D\")].n}",
    "{.spec.book[?(@.price==\"x\")].n}", "{.spec.book[?(@.n==1.0)].n}", "{.spec.book[?(@.title==null)].n}", "{.spec.book[?(@==1)].n}",
    "{.spec.book[?(@.n==@.n)].n}", "{.spec.book[?(1==1)].n}", "{.spec.book[?(\"a\"<\"b\")].n}", "{.spec.book[?(@.missing==1)].n}", "{.spec.book[?(@.*==1)].n}",
    "{.spec.book[?(@.n==)].n}", "{.spec.book[?(==1)].n}", "{.spec.book[?()].n}", "{.spec.book[?(@.n==1].n}", "{.spec.book[?(@.n==1).n}", "{.spec.book[?(@.n==1)", "{.spec.book[?(@.n==-1)].n}", "{.spec.book[?(@.n==+1)].n}",
    "{.spec.bicycle[?(@.color)].n}", "{.kind[?(@.color)]}", "{.spec.nothing[?(@.x)]}", "{.spec.groups[?(@.name==\"g1\")].users[*].name}", "{.spec.groups[?(@.users[0])].name}", "{.spec.groups[?(@.users[0].name==\"u3\")].name}",
    "{.spec.bicycle.tags[?(@==\"b\")]}", "{.spec.bicycle.tags[?(@!=\"b\")]}", "{.spec.matrix[?(@[0]>1)]}", "{.spec.matrix[0][?(@>1)]}",
    "{range .spec.book[*]}{.n}{\"\\n\"}{end}", "{range .spec.book[*]}{.n},{end}after", "{range .spec.book[*]}{.n},", "{range .spec.empty[*]}{.n}{end}after",
    "{range .missing[*]}{.n}x{end}after", "{range .spec.groups[*]}{.name}:{range .users[*]}{.name},{end};{end}!", "{range .spec.groups[*].users[*]}{.name} {end}",
    "{range .spec.groups[*]}{@}{end}", "{range .spec.matrix[*]}{range [*]}{@},{end};{end}", "{range .spec.matrix[*]}{@[0]}{end}", "{range .spec.book[0:2]}{.n}{end}{range .spec.book[2:]}{.n}{end}",
    "{end}", "{range}", "{range .spec.book}{.n}{end}", "{range .spec.book[*]}{.n}{end}{end}", "{ range .spec.book[*] }{ .n }{ end }", "{other}", "{true}{false}", "{range .spec.book[*]}{other}{end}",
    "{1}", "{-1.5}", "{1.5.2}", "{+}", "{1e3}", "{1000000.5}", "{12345678901234567890}", "{1.}", "{.spec.book[*].n 5}",
    "{\"a\\tb\\u00e9\\x41\\101\\\"\"}", "{'it\\'s'}", "{\"a'b\"}", "{\"\"}", "{\"\\q\"}", "{\"open}", "{\"\\\\\"}", "{'\\\"'}", "{\"a\" \"b\"}", "{\"a\n\"}",
    "{.spec.bicycle.tags[0]}{\"\\n\"}{.spec.bicycle.tags[1]}", "{", "}", "{.kind", "a}b{.kind}c}", "{{.kind}}", "{.kind}}", "{.a\nb}", "{.kind\t}", "{.kind|}", "{*}", "{.*.name}",
    "{[", "{[0", "{.spec.book[", "{.spec.book[0}", "{.kind.}", "{.spec..book[0].n}", "{.spec.book[*].n}{.missing}{.kind}", "{.spec.book[0]}", "{.spec.book[3]}", "{.metadata.name }", "{ .metadata.name}", "{.metadata .name}", "{.spec.$bicycle}", "{(.kind)}", "{é}", "{.é}", "{日本}", "{&}", "{.kind==1}", "{,}",
]
STRICT = ["{.missing}", "{.kind.x}", "{range .spec.empty[*]}{.n}{end}", "{.spec.book[*].isbn}", "{.spec.book[?(@.isbn==\"0-553\")].n}", "{.spec.book[?(@.isbn)].n}", "{.spec.empty[*].x}", "{..missing}", "{.spec.nothing.x}", "{.spec.nothing}"]
AS_JSON = ["{.kind}", "{.spec.bicycle}", "{.spec.book[*].n}", "{.missing}", "{.spec.empty}", "text", "{.kind}{.metadata.name}", "{range .spec.book[*]}{.author}{end}", "{.spec.matrix}", "{.spec.big}", "{.spec.nothing}", "{.spec.void}"]
LIST_PATHS = ["{.kind}", "{.metadata}", "{.items[*].metadata.name}", "{range .items[*]}{.metadata.name}{\"\\t\"}{.status.phase}{\"\\n\"}{end}", "{.items[0].metadata.labels}", "{.items[?(@.spec.n>2)].metadata.name}",
              "{.items[?(@.metadata.name==\"pod-a\")].spec.cpu}", "{.items[*]['metadata.name', 'spec.cpu']}", "{.items[0].status.conditions[?(@.type==\"Ready\")].status}", "{.items[*].status.conditions[?(@.type==\"Ready\")].status}", "{.items[9].kind}"]
COLUMNS = [
    "NAME:.metadata.name", "NAME:metadata.name,N:{.spec.n}", "NAME:{metadata.name}", "A:.metadata.labels,B:.spec.f", "A:.spec.map,B:.spec.map.a,C:.spec.map.a[*]", "A:.missing,B:.kind",
    "A:.status.conditions[*].type,B:.status.conditions[?(@.status==\"True\")].type", "A:.status.phase,B:.kind", "A:.status.message,B:.kind", "LONG HEADER WITH BLANKS:.spec.n,B:.kind", "x:.metadata.name,:.kind,y:.spec.flag",
    "A", "A:", "A:.kind,", ":", "A:{.kind", "A:{}", "A:.kind}", "A:.metadata.name:x", "A:..name", "A:.spec.n,B:.spec.n,C:.spec.n", "A:.x|", "A:.kind[0]", "A:.metadata.annotations.a\\.b", "é:.kind,B:.kind",
    "A:.spec.map.a[1],B:.kind",
]
SORTS = [".metadata.name", "metadata.name", "{.metadata.name}", ".spec.n", ".spec.f", ".spec.cpu", ".spec.when", ".missing", ".status.phase", "{.metadata.name", ".spec.[", ".metadata.labels.app"]
FORMATS = ["foo", "JSON", "Yaml", "WIDE", "Name", "jsonpath", "jsonpath=", "custom-columns", "custom-columns=", "custom-columns-file=", "custom-columns-file", "jsonpath-file=", "jsonpath-file=/does/not/exist",
           "custom-columns-file=/does/not/exist", "json=", "json=x", "name=x", "jsonpathx={.kind}", "jsonpath-as-json="]
COLUMN_FILES = ["NAME   N\n.metadata.name {.spec.n}\n", "NAME\n", "", "A B\n.kind\n", "A\n.kind\nmore\n", "A\tB\nkind\t.spec.cpu", "A\n{.kind\n"]


for set_name, set_items in SETS.items():
    for set_item in set_items:
        set_item["metadata"]["namespace"] = set_name


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *args):
        pass

    def do_GET(self):
        path = self.path.split("?")[0]
        body = self.answer(path)
        data = json.dumps(body).encode()
        self.send_response(body.get("code", 200) if body.get("kind") == "Status" else 200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def answer(self, path):
        if path == "/api":
            return {"kind": "APIVersions", "versions": ["v1"]}
        if path == "/api/v1":
            return {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": "v1", "resources": []}
        version = {"groupVersion": "example.com/v1", "version": "v1"}
        if path == "/apis":
            group = {"name": "example.com", "versions": [version], "preferredVersion": version}
            return {"kind": "APIGroupList", "apiVersion": "v1", "groups": [group]}
        if path == "/apis/example.com/v1":
            resource = {"name": "widgets", "singularName": "widget", "namespaced": True, "kind": "Widget", "verbs": ["get", "list"]}
            return {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": "example.com/v1", "resources": [resource]}
        match = re.fullmatch(r"/apis/example.com/v1/namespaces/(\w+)/widgets(?:/([\w-]+))?", path)
        if not match:
            return {"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "code": 404, "message": path}
        items = SETS[match[1]]
        if match[2]:
            return next(item for item in items if item["metadata"]["name"] == match[2])
        return {"apiVersion": "example.com/v1", "kind": "WidgetList", "metadata": {"resourceVersion": "7"}, "items": items}


def cases():
    for name, items in SETS.items():
        if len(items) == 1:
            yield name, items[0]["metadata"]["name"], ["-o", "yaml"]
            yield name, items[0]["metadata"]["name"], ["-o", "json"]
            continue
        for output in ("yaml", "json", "name"):
            yield name, "", ["-o", output]
    yield "managed", "m", ["-o", "yaml", "--show-managed-fields"]
    yield "managed", "", ["-o", "json", "--show-managed-fields"]
    yield "managed", "m", ["-o", "jsonpath={.metadata.managedFields}"]
    for path in PATHS:
        yield "store", "store", ["-o", "jsonpath=" + path]
    for path in STRICT:
        yield "store", "store", ["-o", "jsonpath=" + path, "--allow-missing-template-keys=false"]
    for path in AS_JSON:
        yield "store", "store", ["-o", "jsonpath-as-json=" + path]
    for path in LIST_PATHS:
        yield "pods", "", ["-o", "jsonpath=" + path]
    for spec in COLUMNS:
        yield "pods", "", ["-o", "custom-columns=" + spec]
    yield "pods", "", ["-o", "custom-columns=A:.kind,B:.kind", "--no-headers"]
    yield "pods", "pod-b", ["-o", "custom-columns=A:.kind,B:.metadata.name"]
    yield "none", "", ["-o", "custom-columns=A:.kind"]
    for path in SORTS:
        yield "pods", "", ["-o", "name", "--sort-by=" + path]
    yield "pods", "", ["-o", "custom-columns=A:.metadata.name,B:.spec.n", "--sort-by=.spec.n"]
    yield "none", "", ["-o", "name", "--sort-by=.spec.n"]
    for output in FORMATS:
        yield "pods", "", ["-o", output]
    for number in range(len(COLUMN_FILES)):
        yield "pods", "", ["-o", f"custom-columns-file=columns-{number}"]


def main():
    kubectl = os.path.abspath(sys.argv[1])
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as folder, open(os.path.join(HERE, "answers.jsonl"), "w", encoding="utf-8") as answers:
        for number, text in enumerate(COLUMN_FILES):
            with open(os.path.join(folder, f"columns-{number}"), "w", encoding="utf-8") as file:
                file.write(text)
        for name, item, args in cases():
            command = [kubectl, "--server", f"http://127.0.0.1:{server.server_port}", "--cache-dir", folder + "/cache",
                       "--kubeconfig", os.devnull, "-n", name, "get", "widgets"] + ([item] if item else []) + args
            done = subprocess.run(command, capture_output=True, cwd=folder, check=False)
            # What follows the mark is the object, the same for each case with it; once is enough.
            error = done.stderr.decode()
            mark = "object given to jsonpath engine was:\n\t\t"
            if args[1] != "jsonpath={.spec.book[4].author}" and mark in error:
                error = error[:error.index(mark) + len(mark)]
            answer = {"set": name, "name": item, "args": args, "out": done.stdout.decode(), "err": error, "code": done.returncode}
            answers.write(json.dumps(answer, ensure_ascii=False, sort_keys=True) + "\n")
    with open(os.path.join(HERE, "objects.json"), "w", encoding="utf-8") as file:
        json.dump({"sets": SETS, "column_files": COLUMN_FILES}, file, ensure_ascii=True, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main()
