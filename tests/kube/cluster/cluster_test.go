package cluster

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestFreePortsDiffer(t *testing.T) {
	ports, err := freePorts(50)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(ports)
	if len(slices.Compact(ports)) != 50 {
		t.Errorf("a port was given twice: %v", ports)
	}
}

func TestAStrangersFolderIsNotEmptied(t *testing.T) {
	dir := t.TempDir()
	precious := filepath.Join(dir, "precious")
	if err := os.WriteFile(precious, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := prepareDir(dir); err == nil {
		t.Error("the folder was accepted")
	}
	if _, err := os.Stat(precious); err != nil {
		t.Error(err)
	}
}

func TestAFolderOfAnEarlierRunIsEmptied(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	for range 2 {
		if err := prepareDir(dir); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "old"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := prepareDir(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "old")); !os.IsNotExist(err) {
		t.Errorf("the old file is still there: %v", err)
	}
}

func TestEveryUserHasATokenOfItsOwn(t *testing.T) {
	dir := t.TempDir()
	c, err := newCredentials(filepath.Join(dir, "pki"))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.writeKubeconfigs("https://127.0.0.1:1"); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, user := range Users {
		text, err := os.ReadFile(filepath.Join(dir, user+".kubeconfig"))
		if err != nil {
			t.Fatal(err)
		}
		if seen[c.tokens[user]] || !strings.Contains(string(text), c.tokens[user]) {
			t.Errorf("%s: token shared or not in its kubeconfig", user)
		}
		seen[c.tokens[user]] = true
	}
}

func testProcess(t *testing.T, script string) *process {
	log := filepath.Join(t.TempDir(), "log")
	return &process{name: "sh", path: "/bin/sh", args: []string{"-c", script}, log: log}
}

func TestAnUnexpectedEndIsAFailureWithTheLog(t *testing.T) {
	p := testProcess(t, "echo last words; exit 3")
	if err := p.start(); err != nil {
		t.Fatal(err)
	}
	<-p.done
	err := (&Cluster{processes: []*process{p}}).Failure()
	if err == nil || !strings.Contains(err.Error(), "last words") {
		t.Errorf("got %v", err)
	}
}

func TestAnEndOnPurposeIsNoFailure(t *testing.T) {
	for _, end := range []func(*process){(*process).kill, func(p *process) { p.terminate(time.Second) }} {
		p := testProcess(t, "exec sleep 60")
		if err := p.start(); err != nil {
			t.Fatal(err)
		}
		end(p)
		if err := (&Cluster{processes: []*process{p}}).Failure(); err != nil || p.running() || p.pid() != 0 {
			t.Errorf("running %v, failure %v", p.running(), err)
		}
	}
}
