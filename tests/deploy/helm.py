"""Helm, where there is one, and what it makes of the chart."""

import atexit
import functools
import json
import pathlib
import re
import shutil
import subprocess
import tempfile

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHART = ROOT / "deploy/helm/batholith"
VALUES = ROOT / "tests/deploy/values"
NAMESPACE = "volcano-system"
# What a cluster with the Prometheus operator serves.
OPERATOR = ["--api-versions=monitoring.coreos.com/v1"]
# What Helm says of each symbolic link of a chart in a folder; a packed chart has none.
LINK = re.compile(r"found symbolic link in path")


@functools.cache
def program():
    """The path of helm, or None: nothing is built for a test."""
    argv = [ROOT / "scripts/helm", "--find"]
    found = subprocess.run(argv, capture_output=True, text=True)
    return found.stdout.strip() if found.returncode == 0 else None


def run(*args, within=60, env=None):
    """Runs helm; returns the finished process, its stderr without what is said of links."""
    argv = [program(), *map(str, args)]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=within, env=env)
    lines = [line for line in done.stderr.splitlines() if not LINK.search(line)]
    done.stderr = "\n".join(lines)
    return done


@functools.cache
def copied():
    """The chart in a folder of its own, without links, as a packed one is. It tells its notes,
    which `helm template` does not show, as a ConfigMap."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="chart-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    shutil.copytree(CHART, folder / "batholith")
    (folder / "batholith/templates/told.yaml").write_text(
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: told}\n"
        'data: {notes: {{ include "batholith.notes" . | toJson }}}\n'
    )
    return folder / "batholith"


def values_of(settings):
    """Flags that hand a nested dictionary over as JSON."""
    flags = []
    for section, entries in settings.items():
        for key, value in entries.items():
            flags.append(f"--set-json={section}.{key}={json.dumps(value)}")
    return flags


def template(*args, release="volcano", chart=CHART, namespace=NAMESPACE):
    """The finished `helm template`, with the cluster's version of today."""
    flags = [f"--namespace={namespace}", "--kube-version=1.36.0", *OPERATOR]
    return run("template", release, chart, *flags, *args)


def objects(text):
    """The objects of a rendering, by kind and name."""
    made = {}
    for body in yaml.load_all(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
        if body:
            key = (body["kind"], body["metadata"]["name"])
            assert key not in made, f"twice: {key}"
            made[key] = body
    return made


def rendered(*args, **more):
    """The objects that Helm makes; it must succeed without a word."""
    done = template(*args, **more)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return objects(done.stdout)


def values_files():
    return sorted(VALUES.glob("*.yaml"))
