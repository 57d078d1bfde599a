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
