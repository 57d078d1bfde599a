package main

import "testing"

func TestQuantileIsTheNearestRank(t *testing.T) {
	hundred := make([]float64, 100)
	for i := range hundred {
		hundred[i] = float64(i + 1)
	}
	for _, c := range []struct {
		values  []float64
		percent int
		want    float64
	}{
		{nil, 99, 0},
		{[]float64{7}, 50, 7},
		{[]float64{7}, 99, 7},
		{[]float64{1, 2, 3, 4}, 50, 2},
		{hundred, 50, 50},
		{hundred, 99, 99},
		{hundred, 100, 100},
		{hundred[:30], 99, 30},
	} {
		if got := quantile(c.values, c.percent); got != c.want {
			t.Errorf("quantile(%d values, %d) = %g, want %g", len(c.values), c.percent, got, c.want)
		}
	}
}

func TestPodsThatWereNotBoundAreNotForgotten(t *testing.T) {
	s := &SingleResult{Created: 4, Latencies: []float64{9, 3, 6}}
	s.summarize([]float64{5, 2, 4})
	if s.Bound != 3 || s.P50Ms != 6 || s.P99Ms != 9 || s.MaxMs != 9 || s.FromPodP50Ms != 4 || s.FromPodP99Ms != 5 {
		t.Errorf("got %+v", s)
	}
	if s.Latencies[0] != 9 {
		t.Error("the order of creation is lost")
	}
	if got := s.missing(); len(got) != 1 || got[0] != "1 of 4 single pods were not bound within 10s" {
		t.Errorf("got %q", got)
	}
	if got := (&SingleResult{Created: 1, Bound: 1}).missing(); got != nil {
		t.Errorf("got %q", got)
	}
}
