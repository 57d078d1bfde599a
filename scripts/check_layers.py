#!/usr/bin/env python3
"""Checks that the C++ tree keeps its layers, and the lengths of its files.

Reads every #include below the root and reports, as `file:line: what`, each one that is not in the
table below, each library used outside the folder that owns it, each call that a folder must leave
to others, and each file that is too long.
docs/architecture.md explains the table. Exit code 0: all is well; 1: findings; 2: bad usage.
"""

import argparse
import os
import re
import sys

HEADER_LINES_MAX = 250
SOURCE_LINES_MAX = 500

_FRAMEWORK = {"base", "api/model", "algo", "conf", "metrics", "framework"}
_CACHE = {"cache/intake", "cache/cluster", "cache/routing", "cache/writes"}
_ALL = {
    "base", "api/model", "api/types", "metrics", "net", "algo", "conf", "client", "framework",
    "plugins", "actions", "apiserver", "controllers", "cli", "scheduler", "nodesim", "sim", "cel",
    "api/manifests", "api/rules", "admission/rules", "admission/webhooks", "page", "devices",
} | _CACHE

# Folder -> the folders it may include beside itself.
MAY_INCLUDE = {
    "base": set(),
    "api/model": {"base"},
    "api/types": {"base"},
    "metrics": {"base"},
    "net": {"base"},
    "page": {"net", "base"},
    "api/rules": {"base", "api/types"},
    "cel": {"base", "api/rules", "api/types"},
    "algo": {"base", "api/model"},
    "conf": {"base", "api/model"},
    "devices": {"base", "api/model", "api/types", "conf"},
    "api/manifests": {"base", "api/types", "conf"},
    "client": {"base", "api/types", "net", "metrics"},
    "framework": _FRAMEWORK,
    "plugins": _FRAMEWORK | {"devices"},
    "actions": _FRAMEWORK,
    "cache/intake": {"cel", "conf", "devices", "api/model", "api/rules", "api/types", "base"},
    "cache/cluster": {"cache/intake", "algo", "api/model", "base"},
    "cache/routing": {
        "cache/intake", "cache/cluster", "devices", "api/model", "api/types", "base"},
    "cache/writes": {
        "cache/intake", "cache/cluster", "framework", "client", "net", "conf", "api/model",
        "api/types", "metrics", "base"},
    "apiserver": {"cel", "net", "api/rules", "api/types", "metrics", "base"},
    "admission/rules": {"conf", "api/rules", "api/types", "base"},
    "admission/webhooks": {
        "admission/rules", "client", "net", "conf", "api/rules", "api/types", "metrics", "base"},
    "controllers": {
        "admission/rules", "client", "conf", "api/rules", "api/types", "metrics", "base"},
    "cli": {"client", "conf", "net", "api/manifests", "api/rules", "api/types", "base"},
    "scheduler": _CACHE | {
        "devices", "framework", "client", "conf", "net", "api/model", "api/types", "metrics", "base"},
    "nodesim": {"client", "api/types", "metrics", "base"},
    "sim": _ALL,
    "cmd": _ALL,
    "tests": _ALL | {"bench", "cmd"},
    "bench": _ALL | {"tests"},
    "examples": _FRAMEWORK,  # Plugins outside of the tree may include what those inside may.
    "cmake": {"tests"},  # The lists of headers that are parsed ahead.
}

_CLI_OWNERS = ("cmd/", "cli/", "sim/main.cc", "sim/*_main.cc")
# First part of an include path (or all of it, for a header without folder) -> who may include it:
# folders end in "/", the rest are files or patterns. None: everybody. tests/ and bench/ may include
# every library but those of _NOT_EVEN_TESTS.
LIBRARIES = {
    "absl": None,
    "re2": None,
    "rapidjson": ("api/types/",),
    "prometheus": ("metrics/",),
    "yaml-cpp": ("conf/", "client/kubeconfig.cc"),  # A kubeconfig is YAML as well.
    "boost": ("net/",),
    "openssl": ("net/",),
    "zlib.h": ("net/", "apiserver/"),  # gzip on the wire; checksums of the journal.
    "CLI": _CLI_OWNERS,
    "catch2": ("tests/support/catch.h",),  # One file knows which Catch2 is installed.
    "benchmark": ("bench/",),
}
_NOT_EVEN_TESTS = {"catch2"}
# Folders of the system's own headers.
SYSTEM_FOLDERS = {"sys", "netinet", "arpa", "net", "linux", "experimental"}

# Folder -> what none of its lines may have, and why.
REFUSED_WORDS = {
    "actions": (re.compile(r"\bhooks\(\)"), "an action asks the session, never the table of hooks"),
}

_INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]')


def folder_of(path):
    """The layer folder of a path from the root, or None: some have one layer per subfolder."""
    parts = path.split("/")
    if len(parts) < 2:
        return None
    name = "/".join(parts[:2]) if parts[0] in ("admission", "api", "cache") else parts[0]
    return name if name in MAY_INCLUDE else None


def _owned_by(path, owners):
    for owner in owners:
        if owner.endswith("/"):
            if path.startswith(owner):
                return True
        elif re.fullmatch(re.escape(owner).replace(r"\*", "[^/]*"), path):
            return True
    return False


def check_library(path, included):
    """A complaint about the use of a library header, or None."""
    first = included.split("/")[0]
    if first not in LIBRARIES:
        if "/" not in included or first in SYSTEM_FOLDERS:
            return None  # The language's and the system's headers.
        return f"<{included}>: unknown library; name its owner in scripts/check_layers.py"
    owners = LIBRARIES[first]
    if owners is None or _owned_by(path, owners):
        return None
    if folder_of(path) in ("tests", "bench") and first not in _NOT_EVEN_TESTS:
        return None
    return f"<{included}>: only {', '.join(owners)} may include {first}"


def _plugin_of(path):
    """The plugin a file belongs to; None for files that lie directly in plugins/."""
    parts = path.split("/")
    return parts[1] if parts[0] == "plugins" and len(parts) > 2 else None


def check_edge(path, included):
    """A complaint about the include of one project file by another, or None."""
    source, target = folder_of(path), folder_of(included)
    if target is None:
        return f"{source} -> {included}: not in a folder of the layer table"
    if source == target:
        mine, theirs = _plugin_of(path), _plugin_of(included)
        if mine and theirs and mine != theirs:
            return f"plugins/{mine} -> plugins/{theirs}: a plugin never includes another plugin"
        return None
    if target in MAY_INCLUDE[source]:
        return None
    return f"{source} -> {target}: not an edge of the layer table ({included})"


def check_include(root, path, bracket, included):
    if bracket == "<":
        if os.path.isfile(os.path.join(root, included)) and folder_of(included):
            return f'<{included}>: a file of this project is included with quotes'
        return check_library(path, included)
    if os.path.isfile(os.path.join(root, included)):
        return check_edge(path, included)
    first = included.split("/")[0]
    if first in LIBRARIES:
        return check_library(path, included)
    if first in {folder.split("/")[0] for folder in MAY_INCLUDE}:
        return f'"{included}": no such file'
    return f'"{included}": includes are rooted at the repository'


def check_words(path, line):
    """A complaint about what a line says, or None."""
    words, why = REFUSED_WORDS.get(folder_of(path), (None, None))
    match = words.search(line) if words else None
    return f"{match.group()}: {why}" if match else None


def check_file(root, path):
    """Yields (line, complaint) for one file."""
    limit = HEADER_LINES_MAX if path.endswith(".h") else SOURCE_LINES_MAX
    with open(os.path.join(root, path), encoding="utf-8") as f:
        lines = f.read().splitlines()
    if len(lines) > limit:
        yield limit + 1, f"{len(lines)} lines; the limit is {limit}"
    for number, line in enumerate(lines, 1):
        match = _INCLUDE.match(line)
        if match:
            complaint = check_include(root, path, match.group(1), match.group(2))
        else:
            complaint = check_words(path, line)
        if complaint:
            yield number, complaint


def files_of(root):
    """The C++ files below the layer folders and, to refuse them, below any other folder."""
    for folder, subfolders, names in os.walk(root):
        subfolders[:] = sorted(
            s for s in subfolders if s != "build" and not s.startswith(".") and s != "node_modules")
        for name in sorted(names):
            if name.endswith((".h", ".cc")):
                yield os.path.relpath(os.path.join(folder, name), root).replace(os.sep, "/")


def check_tree(root):
    """Returns (files read, findings as text)."""
    findings, count = [], 0
    for path in files_of(root):
        count += 1
        if folder_of(path) is None:
            findings.append(f"{path}:1: not in a folder of the layer table")
            continue
        findings += [f"{path}:{line}: {what}" for line, what in check_file(root, path)]
    return count, findings


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", default=os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    root = parser.parse_args().root
    count, findings = check_tree(root)
    if count == 0:
        print(f"check_layers: no C++ file below {root}", file=sys.stderr)
        return 2
    for finding in findings:
        print(finding)
    print(f"check_layers: {count} files, {len(findings)} findings", file=sys.stderr)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
