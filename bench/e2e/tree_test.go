package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestTheCommitTellsWhetherTheTreeDiffersFromIt(t *testing.T) {
	folder := t.TempDir()
	if got := commitOf(folder); got != "unknown" {
		t.Errorf("no repository: got %q", got)
	}
	git := func(args ...string) string {
		args = append([]string{"-C", folder, "-c", "user.name=n", "-c", "user.email=m@example.invalid"}, args...)
		out, err := exec.Command("git", args...).CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	git("init", "-q")
	git("commit", "-q", "--allow-empty", "-m", "first")
	want := git("rev-parse", "--short=12", "HEAD")
	if got := commitOf(folder); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if err := os.WriteFile(filepath.Join(folder, "new.cc"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := commitOf(folder); got != want+"-dirty" {
		t.Errorf("got %q, want %q", got, want+"-dirty")
	}
}
