"""Completion in real shells, with the names that are on the server."""

import os
import pathlib
import re
import shutil
import socket
import subprocess
import time

import pytest

from support import shells
from support.processes import ours
from support.vcctl import Vcctl
from support.world import unique

BASH_COMPLETION = pathlib.Path("/usr/share/bash-completion/bash_completion")


def need(name, there):
    if not there:
        pytest.skip(f"there is no {name}: scripts/bootstrap --with shells")


@pytest.fixture(scope="module")
def place(backend, kinds, tmp_path_factory):
    """A folder with a file, and the environment of a user who has our programs in the path."""
    folder = tmp_path_factory.mktemp("completion")
    (folder / "job-file.yaml").touch()
    programs = pathlib.Path(ours("vcctl")).parent
    environment = {
        "PATH": f"{programs}:{os.environ['PATH']}",
        "HOME": str(folder),
        "KUBECONFIG": str(backend.kubeconfig),
        "TERM": "xterm",
        "LANG": "C.UTF-8",
        "XDG_DATA_HOME": str(folder / "data"),
        "XDG_CONFIG_HOME": str(folder / "config"),
    }
    return folder, environment


@pytest.fixture(scope="module")
def jobs(backend, kinds, place):
    """A namespace with two jobs whose names begin alike."""
    # The module may be set up twice in one run: names that differ only in their number may begin alike.
    namespace = unique("completion") + "-names"
    rest = backend.rest()
    body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}
    rest.post("/api/v1/namespaces", body).expect(201)
    vcctl = Vcctl(backend.kubeconfig, place[0])
    for name in ("train-one", "train-two"):
        done = vcctl("job", "run", "-n", namespace, "-N", name)
        assert done.code == 0, done
    yield namespace
    for name in ("train-one", "train-two"):  # Other tests list the jobs of all namespaces.
        vcctl("job", "delete", "-n", namespace, "-N", name)


def script(shell, folder):
    path = folder / f"vcctl.{shell}"
    with open(path, "w") as out:
        subprocess.run([ours("vcctl"), "completion", shell], stdout=out, check=True)
    return path


def bash_alone(folder, environment):
    return shells.bash(environment, folder, [f"source {script('bash', folder)}"])


def bash_with_bash_completion(folder, environment):
    """The script lies where bash-completion looks for it when a word is completed."""
    need("bash-completion", BASH_COMPLETION.is_file())
    loaded = folder / "data/bash-completion/completions"
    loaded.mkdir(parents=True, exist_ok=True)
    for name in ("vcctl", "vjobs"):
        shutil.copy(script("bash", folder), loaded / name)
    return shells.bash(environment, folder, [f"source {BASH_COMPLETION}"])


def zsh_sourced(folder, environment):
    need("zsh", shutil.which("zsh"))
    setup = ["autoload -Uz compinit; compinit -D -u", f"source {script('zsh', folder)}"]
    return shells.zsh(environment, folder, setup)


def zsh_autoloaded(folder, environment):
    need("zsh", shutil.which("zsh"))
    functions = folder / "functions"
    functions.mkdir(exist_ok=True)
    shutil.copy(script("zsh", folder), functions / "_vcctl")
    setup = [f"fpath=({functions} $fpath)", "autoload -Uz compinit; compinit -D -u"]
    return shells.zsh(environment, folder, setup)


WAYS = (bash_alone, bash_with_bash_completion, zsh_sourced, zsh_autoloaded)


@pytest.fixture(params=WAYS, ids=lambda way: way.__name__, scope="module")
def shell(request, place):
    made = request.param(*place)
    yield made
    made.close()


def test_a_line_is_completed(shell, jobs):
    become = {
        "vcctl qu\t": "vcctl queue ",
        "vcctl jo\t": "vcctl job",
        "vcctl queue op\t": "vcctl queue operate ",
        "vcctl queue operate -a cl\t": "vcctl queue operate -a close ",
        "vcctl job list --out\t": "vcctl job list --output ",
        "vcctl job list -o y\t": "vcctl job list -o yaml ",
        "vcctl job list --output=y\t": "vcctl job list --output=yaml ",
        "vcctl job list --output=custom-columns=\t": "vcctl job list --output=custom-columns=",
        "vcctl job list -o custom-columns=\t": "vcctl job list -o custom-columns=",
        "vcctl queue create --state=\t": "vcctl queue create --state=",
        "vcctl job run -f job\t": "vcctl job run -f job-file.yaml ",
        "vcctl job run --filename=job\t": "vcctl job run --filename=job-file.yaml ",
        "vcctl completion f\t": "vcctl completion fish ",
        "vcctl nope \t": "vcctl nope ",
        "vcctl version x\t": "vcctl version x",
        f"vcctl job view -n {jobs} -N tr\t": f"vcctl job view -n {jobs} -N train-",
        f"vcctl job view -n {jobs} -N train-o\t": f"vcctl job view -n {jobs} -N train-one ",
        f"vcctl job view -n={jobs} --name=train-t\t": f"vcctl job view -n={jobs} --name=train-two ",
        f"vcctl job view -n '{jobs}' -N train-t\t": f"vcctl job view -n '{jobs}' -N train-two ",
        f"vjobs -N {jobs} -n train-o\t": f"vjobs -N {jobs} -n train-one ",
        f"vjobs -N {jobs[:-2]}\t": f"vjobs -N {jobs} ",
    }
    for typed, line in become.items():
        assert shell.becomes(typed) == line, typed


def test_several_words_are_shown_with_what_they_are(shell, jobs):
    _, shown = shell.shows("vcctl queue \t\t")
    for word, about in (("create", "creates queue"), ("operate", "operate queue")):
        assert re.search(rf"{word} +(\(|-- ){about}", shown), shown
    _, shown = shell.shows(f"vcctl job view -n {jobs} -N train-\t\t")
    assert "train-one" in shown and "train-two" in shown, shown


def test_variables_of_the_shell_count(shell, jobs, place):
    folder, environment = place
    shell.becomes(f"there={jobs}\r")
    assert shell.becomes("vcctl job view -n $there -N train-o\t") == (
        "vcctl job view -n $there -N train-one "
    )


def fish(place, line, *setup):
    folder, environment = place
    need("fish", shutil.which("fish"))
    commands = [f"source {script('fish', folder)}", *setup, f"complete -C {line!r}"]
    argv = ["fish", "--no-config", "-c", "\n".join(commands)]
    done = subprocess.run(
        argv, capture_output=True, text=True, timeout=60, cwd=folder, env=environment
    )
    assert (done.returncode, done.stderr) == (0, ""), done
    return done.stdout.splitlines()


def test_fish(place, jobs):
    assert fish(place, "vcctl qu") == ["queue\tQueue Operations"]
    assert fish(place, "vcctl queue operate -a cl") == ["close\tit takes no more jobs"]
    assert fish(place, "vcctl job list --output=y") == ["--output=yaml\tobjects as they are"]
    assert [line.split("\t")[0] for line in fish(place, "vcctl job list --out")] == ["--output"]
    assert fish(place, "vcctl job run -f job") == ["job-file.yaml"]
    assert fish(place, "vcctl job run --filename=job") == ["--filename=job-file.yaml"]
    assert fish(place, f"vcctl job view -n {jobs} -N tr") == ["train-one", "train-two"]
    assert fish(place, f"vjobs -N {jobs} -n train-o") == ["train-one"]
    assert fish(place, "vcctl job view -n $there -N train-o", f"set there {jobs}") == ["train-one"]
    assert fish(place, "vcctl nope ") == []


def test_the_hidden_command_speaks_as_kubectls(backend, kinds, place, jobs):
    vcctl = Vcctl(backend.kubeconfig, place[0])
    vcctl("__complete", "queue", "o").prints("operate\toperate queue\n:4\n")
    vcctl("__complete", "job", "view", "-n", jobs, "-N", "").prints("train-one\ntrain-two\n:4\n")
    vcctl("__complete", "job", "run", "-f", "").prints(":0\n")
    vcctl.run("vcancel", "__complete", "-N", jobs, "-n", "train-t").prints("train-two\n:4\n")


def test_nobody_waits_for_a_server_that_is_not_there(tmp_path):
    absent = Vcctl("", tmp_path)
    line = ("__complete", "job", "view", "-N", "")
    absent(*line, KUBERNETES_MASTER="http://127.0.0.1:1").prints(":4\n")
    absent(*line, KUBECONFIG="/does/not/exist").prints(":4\n")
    broken = tmp_path / "broken"
    broken.write_text("clusters: {")
    absent(*line, KUBECONFIG=str(broken)).prints(":4\n")


def test_nobody_waits_for_a_server_that_does_not_answer(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as mute:
        port = mute.getsockname()[1]
        start = time.monotonic()
        done = Vcctl("", tmp_path)(
            "__complete", "job", "view", "-s", f"http://127.0.0.1:{port}", "-N", ""
        )
        done.prints(":4\n")
        # A second, and what a busy machine adds.
        assert 0.5 < time.monotonic() - start < 2.5


def test_nobody_waits_for_a_credential_plugin(tmp_path):
    """It is whatever the kubeconfig says, and may wait for somebody to log in."""
    config = tmp_path / "config"
    config.write_text(
        """
apiVersion: v1
kind: Config
current-context: c
clusters: [{name: c, cluster: {server: "https://127.0.0.1:1"}}]
contexts: [{name: c, context: {cluster: c, user: u}}]
users: [{name: u, user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: sleep,
  args: ["5"], interactiveMode: Never}}}]
"""
    )
    start = time.monotonic()
    Vcctl(config, tmp_path)("__complete", "job", "view", "-N", "").prints(":4\n")
    assert time.monotonic() - start < 2.5
