package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

func TestAFigureIsTheMedianWithItsSpread(t *testing.T) {
	cases := []struct {
		values []float64
		want   figure
		text   string
	}{
		{nil, figure{}, "-"},
		{[]float64{7}, figure{7, 7, 7, 1}, "7"},
		{[]float64{3, 1, 2}, figure{2, 1, 3, 3}, "2 (1–3)"},
		{[]float64{4, 1, 3, 2}, figure{2, 1, 4, 4}, "2 (1–4)"},
	}
	for _, c := range cases {
		got := newFigure(c.values)
		if got != c.want || got.text("%.0f") != c.text {
			t.Errorf("%v: got %+v, %q", c.values, got, got.text("%.0f"))
		}
	}
}

// comparisonOf gives each column the rates of its runs in order.
func comparisonOf(p *Params, rates map[string][]float64) *comparison {
	c := &comparison{params: p, made: stamp{Commit: "abc-dirty"}, runs: map[string][]*Result{}}
	for column, of := range rates {
		c.columns = append(c.columns, column)
		for i, rate := range of {
			c.add(&Result{Column: column, Repeat: i + 1, BindsPerS: rate})
		}
	}
	slices.Sort(c.columns)
	return c
}

func TestRatiosAreTakenWithinEachRepeat(t *testing.T) {
	c := comparisonOf(&Params{Pods: 5000, Repeat: 3}, map[string][]float64{ours: {100, 300, 800}, peer: {50, 100, 200}})
	if got := c.ratio(term{ours, bindsPerS}, term{peer, bindsPerS}); got != (figure{3, 2, 4, 3}) {
		t.Errorf("got %+v", got)
	}
	if got := c.ratio(term{ours, singleP50}, term{peer, singleP50}); got.Runs != 0 {
		t.Errorf("of what was not measured: got %+v", got)
	}
}

func TestRunsThatWereThrownAwayDoNotCount(t *testing.T) {
	c := comparisonOf(&Params{}, map[string][]float64{ours: {5}})
	c.add(&Result{Column: ours, Discarded: true, BindsPerS: 1})
	if got := c.figure(ours, bindsPerS); got != (figure{5, 5, 5, 1}) {
		t.Errorf("got %+v", got)
	}
}

func TestTheStrongestBareClientIsTheOneWithTheBestMedian(t *testing.T) {
	c := comparisonOf(&Params{Repeat: 3, Connections: []int{8, 16}}, map[string][]float64{
		ours: {95, 95, 95}, "bare-client/8": {100, 90, 99}, "bare-client/16": {98, 100, 100}})
	if got := c.strongestBare(); got != "bare-client/16" {
		t.Errorf("got %q", got)
	}
	if got := comparisonOf(&Params{}, map[string][]float64{ours: {1}}).strongestBare(); got != "" {
		t.Errorf("none ran, got %q", got)
	}
}

func TestGoalsAreJudgedByTheMedianOfRatios(t *testing.T) {
	for _, c := range []struct {
		rates []float64
		isMet bool
	}{{[]float64{350, 100, 350}, true}, {[]float64{349, 349, 900}, false}} {
		found := comparisonOf(&Params{Pods: 5000, Repeat: 3},
			map[string][]float64{ours: c.rates, peer: {100, 100, 100}}).goals()
		i := slices.IndexFunc(found, func(v verdict) bool { return v.Goal == "≥ 3.5 × kube-scheduler" })
		if i < 0 || found[i].IsMet != c.isMet {
			t.Errorf("%v: got %+v", c.rates, found)
		}
	}
}

func TestGoalsOfSizeAreJudgedAtThatSizeOnly(t *testing.T) {
	judged := func(p *Params, r Result) []string {
		r.Column = ours
		c := comparisonOf(p, nil)
		c.columns = []string{ours}
		c.add(&r)
		var out []string
		for _, v := range c.goals() {
			out = append(out, v.Goal+" "+v.outcome())
		}
		return out
	}
	slow := Result{FirstBindS: 2, SubjectPeakMiB: 239}
	large, middle := &Params{Nodes: 5000, Existing: 100_000}, &Params{Nodes: 1000, Existing: 20_000}
	if got := judged(large, slow); !slices.Equal(got, []string{"≤ 4 met", "≤ 238 missed"}) {
		t.Errorf("large: got %q", got)
	}
	if got := judged(middle, slow); !slices.Equal(got, []string{"≤ 1.5 missed"}) {
		t.Errorf("middle: got %q", got)
	}
	if got := judged(&Params{Nodes: 10, Pods: 4999}, slow); len(got) != 0 {
		t.Errorf("small: got %q", got)
	}
	idle := Result{Idle: &IdleResult{CPUPercent: 0.1}}
	if got := judged(&Params{}, idle); !slices.Equal(got, []string{"≤ 0 met", "< 0.1 missed"}) {
		t.Errorf("idle: got %q", got)
	}
}

func TestSinglePodsBesideWaitingGangsAreComparedWithThoseBefore(t *testing.T) {
	c := comparisonOf(&Params{Waiting: 1}, nil)
	c.columns = []string{ours}
	c.add(&Result{Column: ours, Singles: &SingleResult{P50Ms: 10, P99Ms: 20},
		Waiting: &WaitingResult{Singles: &SingleResult{P50Ms: 11, P99Ms: 30}}})
	var out strings.Builder
	c.printGoals(&out)
	for _, line := range []string{
		"| vc-scheduler: single pod p50 beside waiting gangs, ms | ≤ 1.1 × single pod p50, ms | 11.0 | 10.0 | 1.10 × | met | abc-dirty |",
		"| vc-scheduler: single pod p99 beside waiting gangs, ms | ≤ 1.1 × single pod p99, ms | 30.0 | 20.0 | 1.50 × | missed | abc-dirty |",
	} {
		if !strings.Contains(out.String(), line) {
			t.Errorf("no %q in\n%s", line, out.String())
		}
	}
}

func TestTheSummaryHasCommitMediansAndVerdicts(t *testing.T) {
	c := comparisonOf(&Params{Pods: 5000, Repeat: 2, DiscardFirst: true}, map[string][]float64{ours: {30, 10}, peer: {10, 10}})
	text, err := json.Marshal(c.summary())
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{`"commit":"abc-dirty"`, `"repeats":2,"discarded":1`,
		`"binds_per_s":{"median":10,"min":10,"max":30,"runs":2}`,
		`"ratio":{"median":1,"min":1,"max":3,"runs":2},"is_met":false`} {
		if !strings.Contains(string(text), part) {
			t.Errorf("no %s in %s", part, text)
		}
	}
}

func TestCPUIsJudgedOnlyWithAllEvents(t *testing.T) {
	for events, judged := range map[float64]bool{9: false, 10: true} {
		c := comparisonOf(&Params{Pods: 5000, Repeat: 1}, nil)
		c.columns = []string{ours, peer}
		c.add(&Result{Column: ours, Bound: 10, SubjectCPUPer1000: 1, Writes: writes{"POST events": events}})
		c.add(&Result{Column: peer, Bound: 10, SubjectCPUPer1000: 10})
		found := c.goals()
		if has := slices.ContainsFunc(found, func(v verdict) bool { return v.Goal == "≤ 0.1 × kube-scheduler" }); has != judged {
			t.Errorf("%g events: got %+v", events, found)
		}
		var out strings.Builder
		c.print(&out)
		if strings.Contains(out.String(), "9 events for 10 bindings") == judged {
			t.Errorf("%g events: got\n%s", events, out.String())
		}
	}
}

func TestSinglePodsOfBothKindsAreComparedWithThoseOfKubeScheduler(t *testing.T) {
	c := comparisonOf(&Params{}, nil)
	c.columns = []string{ours, peer}
	c.add(&Result{Column: ours, Singles: &SingleResult{P50Ms: 8, P99Ms: 12, FromPodP50Ms: 4, FromPodP99Ms: 15},
		PlainSingles: &SingleResult{P50Ms: 7, P99Ms: 13}})
	c.add(&Result{Column: peer, Singles: &SingleResult{P50Ms: 8, P99Ms: 12}})
	var got []string
	for _, v := range c.goals() {
		got = append(got, v.ratioText()+" "+v.outcome())
	}
	if !slices.Equal(got, []string{"1.00 × met", "1.00 × met", "0.50 × met", "1.25 × missed", "0.88 × met", "1.08 × missed"}) {
		t.Errorf("got %q", got)
	}
}
