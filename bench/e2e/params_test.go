package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestParametersThatMeasureNothingAreRefused(t *testing.T) {
	cases := []struct{ args, complaint string }{
		{"--subjects vc-scheduler --bin /no/such/folder", "--bin"},
		{"--subjects nobody", `"nobody" is none of`},
		{"--subjects custom", "needs --custom"},
		{"--subjects bare-client --nodes 0", "must be at least 1"},
		{"--subjects bare-client --existing -1", "must not be negative"},
		{"--subjects bare-client --pod-cpu one", `"one"`},
		{"--subjects bare-client --nodes 1 --node-cpu 1 --pod-cpu 100m --pods 11", "do not fit"},
		{"--subjects bare-client --nodes 1 --node-pods 10 --pods 8 --existing 3", "do not fit"},
		{"--subjects bare-client --pods 10 --kill-at 10", "--kill-at 10"},
		{"--subjects bare-client --standby --kill-at 5", "--standby needs"},
		{"--subjects vc-scheduler --standby", "--standby needs"},
		{"--jobs 10", "want JOBSxPODS"},
		{"--jobs 10x0", "want JOBSxPODS"},
		{"--jobs 1x2,", "want JOBSxPODS"},
		{"--jobs 200x101", "more than 20000 pods"},
		{"--jobs 1x2 --singles 3", "--jobs: of the other parameters"},
		{"--subjects bare-client --finish", "need --jobs"},
		{"--subjects bare-client --hold-pods", "need --jobs"},
		{"--subjects bare-client --pod-start 500ms", "need --jobs"},
		{"--jobs 1x2 --pod-start -1ms", "--pod-start -1ms: must be at least 0"},
		{"--jobs 1x2 --pod-start 2s --timeout 1s", "--pod-start 2s"},
		{"--jobs 1x2 --pod-start 0.5", "invalid value"},
		{"--jobs 1x2 --pod-start hold", "invalid value"},
		{"--jobs 1x2 --pod-start 0 --hold-pods", "exclude each other"},
		{"--jobs 1x2 --bin /no/such/folder", "--bin"},
		{"--subjects bare-client --connections 8,0", "--connections"},
		{"--subjects bare-client --connections 8,8", "different numbers"},
		{"--subjects bare-client --waiting -1", "--waiting must not be negative"},
		{"--subjects bare-client --waiting 1", "--waiting needs --singles"},
		{"--subjects bare-client --waiting-kind other", `--waiting-kind "other"`},
		{"--subjects bare-client --nodes 1 --node-cpu 1 --pods 4 --singles 1 --waiting 1 --waiting-kind full",
			"do not fit: each of the 1 nodes takes 5"},
		{"--subjects bare-client --plain-singles", "--plain-singles needs --singles"},
		{"--subjects bare-client --plain-singles --singles 1 --waiting 1", "goes without --waiting"},
		{"--subjects bare-client --plain-singles --singles 1 --bin /no/such/folder", "vc-controller-manager"},
		{"--jobs 1x2 --baseline", "--jobs: of the other parameters"},
		{"stray", "unexpected argument"},
	}
	for _, c := range cases {
		_, err := parseParams(strings.Fields(c.args))
		if err == nil || !strings.Contains(err.Error(), c.complaint) {
			t.Errorf("%s: got %v", c.args, err)
		}
	}
	full := "--subjects bare-client --nodes 1 --node-cpu 1 --pod-cpu 100m --pods 10"
	if _, err := parseParams(strings.Fields(full)); err != nil {
		t.Errorf("a full node is fine: %v", err)
	}
}

func TestPodsStartAfterHalfASecondUnlessToldOtherwise(t *testing.T) {
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "vc-scheduler"), nil, 0o700); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]time.Duration{"": 500 * time.Millisecond,
		"--pod-start 0": 0, "--pod-start 2s": 2 * time.Second} {
		p, err := parseParams(strings.Fields("--jobs 1x2 --bin " + bin + " " + args))
		if err != nil || p.PodStart != want || p.HoldPods {
			t.Errorf("%q: got %v, %v", args, p, err)
		}
	}
	if p, err := parseParams([]string{"--jobs", "1x2", "--bin", bin, "--hold-pods"}); err != nil || !p.HoldPods {
		t.Errorf("held: got %v, %v", p, err)
	}
}

func TestFoldersComeFromTheEnvironmentUnlessNamed(t *testing.T) {
	t.Setenv("BTH_BIN", "/env/bin")
	t.Setenv("BTH_KUBE_BIN", "/env/kube")
	p, err := parseParams(strings.Fields("--root /r --subjects bare-client --bin /named"))
	if err != nil || p.Bin != "/named" || p.KubeBin != "/env/kube" || p.CRDs != "/r/deploy/crds" ||
		!slices.Equal(p.Args, strings.Fields("--subjects bare-client --bin /named")) {
		t.Errorf("got %+v, %v", p, err)
	}
}

func TestTheFirstOfSeveralRunsIsThrownAwayUnlessToldOtherwise(t *testing.T) {
	for args, first := range map[string]int{"": 1, "--repeat 3": 0, "--repeat 3 --discard-first=false": 1} {
		p, err := parseParams(strings.Fields("--subjects bare-client " + args))
		if err != nil || p.firstRepeat() != first {
			t.Errorf("%q: got %v, %v", args, p, err)
		}
	}
}

func TestColumnsAreSubjectsAndWhatIsSpecialAboutThem(t *testing.T) {
	p, err := parseParams(strings.Fields("--subjects kube-scheduler,bare-client --connections 8,32 --spread --anti-affinity"))
	if err != nil {
		t.Fatal(err)
	}
	labels := []string{}
	for _, s := range p.columns() {
		labels = append(labels, s.label)
	}
	want := []string{"kube-scheduler", "kube-scheduler+anti-affinity", "kube-scheduler+spread",
		"bare-client/8", "bare-client/32"}
	if !slices.Equal(labels, want) {
		t.Errorf("got %q", labels)
	}
	plain, avoiding, spread, bare := p.columns()[0], p.columns()[1], p.columns()[2], p.columns()[4]
	if plain.antiAffinity || plain.spread || !avoiding.antiAffinity || avoiding.spread ||
		spread.antiAffinity || !spread.spread || bare.connections != 32 {
		t.Errorf("got %+v", p.columns())
	}
}

// Half of each node is taken by a filler: a waiting pod fits an empty node and none that is there.
func TestWaitingPodsFitNoNode(t *testing.T) {
	for kind, want := range map[string][2]int64{"large": {8000, 0}, "full": {3000, 2000}} {
		p, err := parseParams(strings.Fields(
			"--subjects bare-client --node-cpu 4 --waiting 1 --singles 1 --nodes 2 --pods 8 --waiting-kind " + kind))
		if err != nil {
			t.Fatal(err)
		}
		waiting, filler := p.waitingCPU(), p.fillerCPU()
		if waiting.MilliValue() != want[0] || p.fills() != (want[1] > 0) ||
			(p.fills() && filler.MilliValue() != want[1]) {
			t.Errorf("%s: %v and %v, filled: %v", kind, waiting.String(), filler.String(), p.fills())
		}
	}
}
