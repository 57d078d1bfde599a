package main

import (
	"os"
	"path/filepath"
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

func TestMediansSkipWhatWasNotMeasured(t *testing.T) {
	results := []*Result{{BindsPerS: 3}, {BindsPerS: 1}, {BindsPerS: 2}}
	if value, ok := rows[1].median(results); !ok || value != 2 {
		t.Errorf("got %v", value)
	}
	if _, ok := ofIdle(func(i *IdleResult) float64 { return i.CPUPercent })(results[0]); ok {
		t.Error("idleness was not measured")
	}
}
