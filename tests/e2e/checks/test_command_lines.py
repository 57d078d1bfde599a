"""What every program answers on its command line."""

import re
import socket
import subprocess

import pytest

from support.daemon import fetch, parse_metrics
from support.poll import until
from support.processes import ROOT, Process, free_port, ours

PROGRAMS = [
    "vc-scheduler",
    "vc-agent-scheduler",
    "vc-controller-manager",
    "vc-webhook-manager",
    "vc-standalone",
    "vc-nodesim",
    "vc-sim",
]
VERSION = re.compile(
    r"API Version: v1alpha1\nVersion: \d+\.\d+\.\d+\nGit SHA: .+\nBuilt At: .+\n"
    r"Compiler: .+\nOS/Arch: linux/\w+\n"
)


def run(program, *args):
    return subprocess.run([ours(program), *args], capture_output=True, text=True, timeout=30)


@pytest.mark.parametrize("program", PROGRAMS)
def test_version_has_one_format(program):
    done = run(program, "--version")
    assert done.returncode == 0 and VERSION.fullmatch(done.stdout), done


MISTYPED = [
    (["vc-scheduler", "--lead-elect"], "--leader-elect"),
    (["vc-controller-manager", "--sheduler-name=x"], "--scheduler-name"),
    (["vc-agent-scheduler", "--scheduler-worker-counts=2"], "--scheduler-worker-count"),
    (["vc-webhook-manager", "--enable-admission=x"], "--enabled-admission"),
    (["vc-standalone", "--node=3"], "--nodes"),
    (["vc-nodesim", "--kubconfig", "x"], "--kubeconfig"),
    (["vc-sim", "run", "--cycels", "3", "-"], "--cycles"),
    (["vc-sim", "test", "--bles", "x"], "--bless"),
    (["vc-sim", "--vershun"], "--version"),
    (["vc-sim", "trace", "--compere", "x"], "--compare"),
    (["vc-sim", "trace", "generate", "--job", "3"], "--jobs"),
]


@pytest.mark.parametrize("argv, meant", MISTYPED, ids=[m[0][0] + m[1] for m in MISTYPED])
def test_a_mistyped_flag_is_the_last_line_with_the_one_that_was_meant(argv, meant):
    done = run(*argv)
    assert done.returncode == 2 and done.stdout == "", done
    last = done.stderr.splitlines()[-1]
    flag = next(word for word in argv if word.startswith("--")).partition("=")[0]
    assert f"unknown flag: {flag} (did you mean {meant}?)" in last, last


@pytest.mark.parametrize("program", ["vc-scheduler", "vc-controller-manager"])
def test_a_word_behind_a_boolean_is_told(program):
    done = run(program, "--leader-elect", "false", "--kubeconfig=/does/not/exist")
    assert done.returncode == 1
    assert "write --leader-elect=false" in done.stderr.splitlines()[0], done.stderr
    done = run(program, "--leader-elect=false", "--kubeconfig=/does/not/exist")
    assert "write --leader-elect" not in done.stderr


KUBECONFIG = """\
apiVersion: v1
kind: Config
current-context: here
clusters: [{name: c, cluster: {server: "http://127.0.0.1:1"}}]
contexts: [{name: here, context: {cluster: c, user: ""}}]
"""
DAEMONS = ["vc-scheduler", "vc-controller-manager"]


def started(folder, program, *flags):
    """The program without pages on fixed ports, nor election, and no API server to be found."""
    (folder / "kubeconfig").write_text(KUBECONFIG)
    flags = ["--leader-elect=false", *flags]
    if program == "vc-scheduler":
        flags.append("--debug-bind-address=")
    return Process(program, [ours(program), *flags], folder)


def says(process, *words):
    """Waits for a line of the log with all of the words."""

    def said():
        return any(all(w in line for w in words) for line in process.log().splitlines())

    until(said, 20, lambda: f"a line with {words}:\n{process.tail()}")


@pytest.mark.parametrize("program", [*DAEMONS, "vc-nodesim"])
def test_the_first_lines_name_the_server_and_what_chose_it(program, tmp_path, monkeypatch):
    path = tmp_path / "kubeconfig"
    monkeypatch.setenv("KUBECONFIG", str(path))
    # $KUBECONFIG goes before the pod's service account, and --help says so.
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "10.0.0.1")
    monkeypatch.setenv("KUBERNETES_SERVICE_PORT", "443")
    assert "else the pod's service account" in " ".join(run(program, "--help").stderr.split())
    path.write_text(KUBECONFIG)
    process = Process(program, [ours(program)], tmp_path)
    try:
        says(process, " info server.chosen server=http://127.0.0.1:1 ", f"$KUBECONFIG: {path}")
    finally:
        process.close()
    process = Process(program, [ours(program), f"--kubeconfig={path}"], tmp_path)
    try:
        says(process, " info server.chosen server=http://127.0.0.1:1 ", f"--kubeconfig: {path}")
    finally:
        process.close()


def test_a_controller_that_does_not_exist_ends_the_program_with_the_one_that_was_meant():
    done = run("vc-controller-manager", "--controllers=job-controler")
    assert done.returncode == 1 and done.stdout == "", done
    assert done.stderr.splitlines()[-1] == (
        "vc-controller-manager: --controllers: job-controler: no such controller "
        '(did you mean "job-controller"?)'
    )


REFUSED = [
    ("--listen-address=8080", '--listen-address: "8080" is not an address such as :8080'),
    ("--healthz-address=here", '--healthz-address: "here" is not an address such as :8080'),
    ("--tls-cert-file=/c", "--tls-cert-file: give --ca-cert-file and --tls-private-key-file too"),
    ("--ca-cert-file=/a", "--ca-cert-file: give --tls-cert-file and --tls-private-key-file too"),
]


@pytest.mark.parametrize("flag, why", REFUSED, ids=[r[0] for r in REFUSED])
@pytest.mark.parametrize("program", DAEMONS)
def test_what_cannot_be_served_is_refused(program, flag, why):
    done = run(program, flag)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith(f"{program}: {why}"), done.stderr


@pytest.mark.parametrize("program", DAEMONS)
def test_the_log_says_where_pages_are_served_and_where_they_cannot_be(program, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as other:
        taken = f"127.0.0.1:{other.getsockname()[1]}"
        flags = [f"--kubeconfig={tmp_path}/kubeconfig", "--enable-healthz", "--enable-metrics"]
        flags += ["--healthz-address=127.0.0.1:0", f"--listen-address={taken}"]
        process = started(tmp_path, program, *flags)
        try:
            says(process, " info health.served address=127.0.0.1:", "tls=false")
            says(process, f" error metrics.not_served address={taken}")
        finally:
            process.close()
        done = run(program, *flags, f"--healthz-address={taken}", "--leader-elect=false")
        assert done.returncode == 1
        last = done.stderr.splitlines()[-1]
        assert last.startswith(f"{program}: --healthz-address {taken}: "), last


def test_folders_that_are_of_no_use_are_told_at_the_start(tmp_path):
    flags = [f"--kubeconfig={tmp_path}/kubeconfig", f"--plugins-dir={tmp_path}/none"]
    flags += [f"--cache-dump-dir={tmp_path}/kubeconfig", "--listen-address=127.0.0.1:9"]
    process = started(tmp_path, "vc-scheduler", *flags)
    try:
        says(process, " warning plugins.none ", "/none", "there is no such folder")
        says(process, " warning dump.folder_unusable ", "/kubeconfig: is no folder")
        says(process, " warning flag.no_effect ", "--listen-address: no metrics are served")
    finally:
        process.close()


def test_log_lines_that_cannot_be_written_are_counted(tmp_path):
    port = free_port()
    flags = [f"--kubeconfig={tmp_path}/kubeconfig", "--leader-elect=false", "--enable-metrics"]
    flags += [f"--listen-address=127.0.0.1:{port}", "--debug-bind-address="]
    (tmp_path / "kubeconfig").write_text(KUBECONFIG)
    with open("/dev/full", "w") as full:
        argv = [ours("vc-scheduler"), *flags]
        with subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=full, stderr=full) as process:
            try:

                def lost():
                    try:
                        text = fetch(f"http://127.0.0.1:{port}/metrics")[1]
                    except OSError:
                        return None
                    return parse_metrics(text)["batholith_log_lines_lost_total"] >= 3

                until(lost, 20, "the metric counts the lines")
                assert process.poll() is None
            finally:
                process.kill()


POLICY = """\
actions: "enqueue, alocate"
tiers:
- plugins:
  - name: gagn
  - name: predicates
    arguments: {predicate.CacheEnable: true}
"""


def test_a_policy_is_checked_without_a_cluster_and_everything_wrong_is_told_at_once(tmp_path):
    """As docs/configuration.md says."""
    text = (ROOT / "docs/configuration.md").read_text()
    command = re.search(r"```sh\n(vc-sim run .*)\n```", text)[1]
    assert command == "vc-sim run --conf scheduler.conf - < /dev/null"

    def check(policy):
        (tmp_path / "scheduler.conf").write_text(policy)
        line = command.replace("vc-sim", ours("vc-sim"), 1)
        return subprocess.run(
            line, shell=True, cwd=tmp_path, capture_output=True, text=True, timeout=30
        )

    done = check(POLICY)
    assert done.returncode == 2
    for words in ("2 errors: (1) ", "line 4: ", '"gang"', "; (2) ", "line 1: ", '"allocate"'):
        assert words in done.stderr, done.stderr
    done = check(POLICY.replace("alocate", "allocate").replace("gagn", "gang"))
    assert done.returncode == 0, done.stderr
    (note,) = done.stderr.splitlines()
    assert note.startswith("vc-sim: note: line 6: ") and "has no effect: " in note, note
    done = check(POLICY.replace("alocate", "allocate").replace("gagn", "gang").replace("true", "false"))
    assert (done.returncode, done.stderr) == (0, "")
    # The daemon refuses it with the same words.
    (tmp_path / "scheduler.conf").write_text(POLICY)
    (tmp_path / "kubeconfig").write_text(KUBECONFIG)
    flags = [f"--kubeconfig={tmp_path}/kubeconfig", f"--scheduler-conf={tmp_path}/scheduler.conf"]
    done = run("vc-scheduler", *flags)
    last = done.stderr.splitlines()[-1]
    assert done.returncode == 1 and "2 errors: (1) " in last and "; (2) " in last, done.stderr


def test_the_help_of_vc_standalone_begins_with_what_is_in_it():
    first = run("vc-standalone", "--help").stderr.splitlines()[0]
    for part in ("API server", "scheduler", "controllers", "simulated nodes"):
        assert part in first, first


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_bad_value_is_the_last_line_too(program):
    flag = {"vc-sim": "--cycles"}.get(program, "--v")
    argv = ["run", flag, "many", "-"] if program == "vc-sim" else [f"{flag}=many"]
    done = run(program, *argv)
    assert done.returncode == 2
    last = done.stderr.splitlines()[-1]
    assert flag in last and "many" in last, last
