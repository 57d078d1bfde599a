package main

import (
	"strings"
	"testing"
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
		{"--subjects bare-client --finish", "--finish needs --jobs"},
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

func TestMediansSkipWhatWasNotMeasured(t *testing.T) {
	results := []*Result{{BindsPerS: 3}, {BindsPerS: 1}, {BindsPerS: 2}}
	if value, ok := rows[1].median(results); !ok || value != 2 {
		t.Errorf("got %v", value)
	}
	if _, ok := ofIdle(func(i *IdleResult) float64 { return i.CPUPercent })(results[0]); ok {
		t.Error("idleness was not measured")
	}
}
