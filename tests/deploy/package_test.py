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
DAEMONS = {"vc-scheduler", "vc-controller-manager", "vc-webhook-manager", "vc-standalone"}


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
            self.assertNotIn(".symtab", run("readelf", "-S", program).stdout)

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

    def test_lintian_finds_nothing(self):
        if not shutil.which("lintian"):
            self.skipTest("no lintian: scripts/bootstrap --with package")
        done = run("lintian", "--fail-on", "error,warning", "--no-cfg", self.package)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)


@unittest.skipIf(missing(), missing())
class Images(unittest.TestCase):
    """What deploy/Dockerfile copies into an image."""

    def test_they_are_small_and_their_programs_run_in_them(self):
        for name in ("vc-scheduler", "vc-controller-manager", "vc-webhook-manager"):
            with tempfile.TemporaryDirectory() as folder:
                root = pathlib.Path(folder) / "root"
                made = run(ROOT / "scripts/image_root", pathlib.Path(PROGRAMS) / name, root)
                self.assertEqual((made.returncode, made.stderr), (0, ""))
                files = [p for p in root.rglob("*") if p.is_file() and not p.is_symlink()]
                size = sum(p.stat().st_size for p in files)
                print(f"{name}: {size / 1e6:.0f} MB")
                self.assertLess(size, 60e6)
                self.assertFalse([p for p in files if p.name in ("sh", "bash", "busybox")])
                if os.geteuid() == 0:  # Only root may look at the world from there.
                    pathlib.Path(folder).chmod(0o755)
                    done = run("chroot", "--userspec=1000:1000", root, f"/{name}", "--version")
                    self.assertIn("Version: ", done.stdout, done.stderr)


if __name__ == "__main__":
    unittest.main()
