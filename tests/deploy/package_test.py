"""The Debian package: what it holds, and that lintian finds nothing wrong. BTH_DEB_BIN names the folder of
the programs; without it, or without the tools, the tests are left out."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = os.environ.get("BTH_DEB_BIN", "")
USERS = ("vcctl", "vsub", "vjobs", "vqueues", "vcancel", "vsuspend", "vresume")
TOOLS = {"vc-sim": 1, "vc-nodesim": 8}
DAEMONS = {
    "vc-scheduler",
    "vc-agent-scheduler",
    "vc-controller-manager",
    "vc-webhook-manager",
    "vc-standalone",
}


def missing():
    if not PROGRAMS or not (pathlib.Path(PROGRAMS) / "vc-scheduler").is_file():
        return "no programs: BTH_DEB_BIN names their folder"
    for tool in ("dpkg-deb", "dpkg-shlibdeps"):
        if not shutil.which(tool):
            return f"no {tool}: scripts/bootstrap --with package"
    return ""


def run(*argv):
    return subprocess.run([str(a) for a in argv], capture_output=True, text=True, timeout=600)


@unittest.skipIf(missing(), missing())
class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="deb-")
        cls.addClassCleanup(folder.cleanup)
        place = pathlib.Path(folder.name)
        made = run(ROOT / "scripts/deb", "--bin", PROGRAMS, "--out", place)
        assert made.returncode == 0, made.stderr
        (cls.package,) = place.glob("*.deb")
        cls.tree = place / "tree"
        assert run("dpkg-deb", "-x", cls.package, cls.tree).returncode == 0
        listed = run("dpkg-deb", "-c", cls.package).stdout
        cls.entries = [line.split(maxsplit=5) for line in listed.splitlines()]

    def test_it_holds_programs_manuals_units_and_manifests(self):
        names = {entry[5].split(" -> ")[0].removeprefix(".") for entry in self.entries}
        for daemon in DAEMONS:
            self.assertIn(f"/usr/bin/{daemon}", names)
            self.assertIn(f"/usr/lib/systemd/system/{daemon}.service", names)
            self.assertIn(f"/etc/batholith/{daemon}", names)
            section = 1 if daemon == "vc-standalone" else 8
            self.assertIn(f"/usr/share/man/man{section}/{daemon}.{section}.gz", names)
        for tool, section in [*TOOLS.items(), *((user, 1) for user in USERS)]:
            self.assertIn(f"/usr/bin/{tool}", names)
            self.assertIn(f"/usr/share/man/man{section}/{tool}.{section}.gz", names)
        self.assertIn("/usr/share/zsh/vendor-completions/_vcctl", names)
        for user in USERS:
            self.assertIn(f"/usr/share/bash-completion/completions/{user}", names)
            self.assertIn(f"/usr/share/fish/vendor_completions.d/{user}.fish", names)
        shared = "/usr/share/batholith/deploy"
        for part in ("crds", "scheduler/deployment.yaml", "helm/batholith/Chart.yaml"):
            self.assertTrue(any(name.startswith(f"{shared}/{part}") for name in names), part)
        self.assertIn("/usr/share/doc/batholith/operations.md.gz", names)

    def test_everything_belongs_to_root_and_nobody_else_may_write(self):
        for mode, owner, *_ in self.entries:
            self.assertEqual(owner, "root/root")
            if not mode.startswith("l"):
                self.assertRegex(mode, r"^[-d]rw[-x]r-[-x]r-[-x]$")

    def test_programs_run_and_have_no_symbols(self):
        for name in DAEMONS:
            program = self.tree / "usr/bin" / name
            done = run(program, "--version")
            self.assertIn("Version: 0.1.0", done.stdout + done.stderr)
        for name in (*DAEMONS, *TOOLS, "vcctl"):
            sections = run("readelf", "-S", self.tree / "usr/bin" / name).stdout
            self.assertIn(".text", sections)
            self.assertNotIn(".symtab", sections)
            self.assertNotIn(".debug_info", sections)

    def test_commands_of_users_run(self):
        for name in USERS:
            done = run(self.tree / "usr/bin" / name, "--help")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn(f"Usage:\n  {name} ", done.stdout)
        self.assertIn("Version: 0.1.0", run(self.tree / "usr/bin/vcctl", "version").stdout)
        # One program under several names: those of the build, and no other ones.
        for name in USERS[1:]:
            self.assertEqual(os.readlink(self.tree / "usr/bin" / name), "vcctl")
        built = run(pathlib.Path(PROGRAMS) / "vcctl", "--help").stdout
        self.assertEqual(run(self.tree / "usr/bin/vcctl", "--help").stdout, built)

    def test_the_manual_of_commands_of_users_has_them_all(self):
        page = run("zcat", self.tree / "usr/share/man/man1/vcctl.1.gz").stdout
        program = self.tree / "usr/bin/vcctl"
        for group in ("job", "queue", "jobflow", "jobtemplate", "pod", "completion"):
            listed = run(program, "help", group).stdout.partition("Available Commands:\n")[2]
            leaves = re.findall(r"^  (\S+)", listed.partition("\n\n")[0], re.MULTILINE)
            self.assertTrue(leaves)
            for leaf in leaves:
                self.assertIn(f".SS vcctl {group} {leaf}\n", page)
        self.assertIn(".B \\-N, \\-\\-name string\nthe name of job\n", page)
        single = run("zcat", self.tree / "usr/share/man/man1/vsub.1.gz").stdout
        self.assertIn(".B \\-c, \\-\\-command string\nthe command of job\n", single)

    def test_completion_is_that_of_the_program(self):
        files = {
            "bash": "bash-completion/completions/vsub",
            "zsh": "zsh/vendor-completions/_vcctl",
            "fish": "fish/vendor_completions.d/vjobs.fish",
        }
        for shell, path in files.items():
            said = run(self.tree / "usr/bin/vcctl", "completion", shell).stdout
            self.assertEqual((self.tree / "usr/share" / path).read_text("utf-8"), said)
            if shutil.which(shell):
                read = run(shell, "-n", self.tree / "usr/share" / path)
                self.assertEqual((read.returncode, read.stderr), (0, ""))

    def test_manual_pages_can_be_shown(self):
        for page in sorted(self.tree.glob("usr/share/man/*/*.gz")):
            text = run("man", "--warnings", "-l", page) if shutil.which("man") else None
            if text is not None:
                self.assertEqual((text.returncode, text.stderr), (0, ""), page.name)
        raw = run("zcat", self.tree / "usr/share/man/man8/vc-scheduler.8.gz").stdout
        self.assertIn("\\-\\-leader\\-elect", raw)
        self.assertGreater(raw.count(".TP"), 30)

    def test_units_start_what_is_there_with_flags_that_are_known(self):
        for daemon in DAEMONS:
            unit = (self.tree / f"usr/lib/systemd/system/{daemon}.service").read_text("utf-8")
            (start,) = re.findall(r"^ExecStart=(\S+)(.*)$", unit, re.MULTILINE)
            self.assertEqual(start[0], f"/usr/bin/{daemon}")
            flags = (self.tree / f"etc/batholith/{daemon}").read_text("utf-8")
            known = run(self.tree / "usr/bin" / daemon, "--help")
            for flag in re.findall(r"(--[a-z][a-z-]+)", start[1] + flags):
                self.assertIn(flag, known.stdout + known.stderr, daemon)

    def test_systemd_finds_nothing_in_the_units(self):
        if not shutil.which("systemd-analyze"):
            self.skipTest("no systemd-analyze: scripts/bootstrap --with package")
        units = sorted((self.tree / "usr/lib/systemd/system").glob("*.service"))
        self.assertEqual({unit.stem for unit in units}, DAEMONS)
        with tempfile.TemporaryDirectory() as folder:
            for unit in units:
                # It looks for the programs where they are, which is not where they will be.
                text = unit.read_text("utf-8").replace("=/usr/bin/", f"={self.tree}/usr/bin/")
                copy = pathlib.Path(folder) / unit.name
                copy.write_text(text, "utf-8")
                done = run("systemd-analyze", "verify", "--man=no", "--recursive-errors=no", copy)
                told = [line for line in done.stderr.splitlines() if unit.stem in line]
                self.assertEqual((done.returncode, told), (0, []), done.stderr)

    def test_lintian_finds_nothing(self):
        if not shutil.which("lintian"):
            self.skipTest("no lintian: scripts/bootstrap --with package")
        done = run("lintian", "--fail-on", "error,warning", "--no-cfg", self.package)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)


IMAGE_BYTES_MAX = 60e6


@unittest.skipIf(missing(), missing())
class Images(unittest.TestCase):
    """What deploy/Dockerfile copies into images, made by the script that it calls."""

    def setUp(self):
        self.text = (ROOT / "deploy/Dockerfile").read_text("utf-8")
        stage = re.compile(
            r"^FROM scratch AS (\S+)\nCOPY --from=build /images/(\S+) /\nUSER 1000:1000\n"
            r'ENTRYPOINT \["/(\S+)"\]$',
            re.MULTILINE,
        )
        self.stages = {program: entry for _, program, entry in stage.findall(self.text)}

    def test_each_program_that_is_put_aside_is_in_an_image(self):
        (loop,) = re.findall(r"for program in (.*); do", self.text)
        self.assertEqual(set(loop.split()), set(self.stages))
        self.assertEqual(self.text.count("FROM scratch"), len(self.stages))
        self.assertEqual(set(self.stages), {*DAEMONS - {"vc-standalone"}, "vcctl"})
        for program, entry in self.stages.items():
            self.assertEqual(program, entry)

    def test_its_steps_are_there(self):
        for script in re.findall(r"^RUN (\S+)$", self.text, re.MULTILINE):
            self.assertTrue(os.access(ROOT / script, os.X_OK), script)
        made = run("make", "-C", ROOT, "--dry-run", "build")
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertIn("cmake --build build/release --target programs", made.stdout)
        self.assertIn("make build", self.text)
        self.assertIn("scripts/image_root build/release/bin/$program /images/$program", self.text)

    def test_they_are_small_and_their_programs_run_in_them(self):
        for name in self.stages:
            with tempfile.TemporaryDirectory() as folder:
                root = pathlib.Path(folder) / "root"
                made = run(ROOT / "scripts/image_root", pathlib.Path(PROGRAMS) / name, root)
                self.assertEqual((made.returncode, made.stderr), (0, ""))
                files = [p for p in root.rglob("*") if p.is_file() and not p.is_symlink()]
                size = sum(p.stat().st_size for p in files)
                print(f"image of {name}: {size / 1e6:.1f} MB")
                self.assertLess(size, IMAGE_BYTES_MAX)
                self.assertTrue((root / "etc/ssl/certs/ca-certificates.crt").stat().st_size)
                self.assertFalse([p for p in files if p.name in ("sh", "bash", "busybox")])
                if os.geteuid() == 0:  # Only root may look at the world from there.
                    pathlib.Path(folder).chmod(0o755)
                    version = "version" if name == "vcctl" else "--version"
                    done = run("chroot", "--userspec=1000:1000", root, f"/{name}", version)
                    self.assertIn("Version: ", done.stdout, done.stderr)


if __name__ == "__main__":
    unittest.main()
