package main

import (
	"fmt"
	"slices"
)

// figure is one measured quantity over several runs.
type figure struct {
	Median float64 `json:"median"` // Of an even number: the lower of the two in the middle.
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
	Runs   int     `json:"runs"`
}

// newFigure takes the values in any order; of none it is empty, with 0 runs.
func newFigure(values []float64) figure {
	n := len(values)
	if n == 0 {
		return figure{}
	}
	sorted := slices.Sorted(slices.Values(values))
	return figure{Median: sorted[(n-1)/2], Min: sorted[0], Max: sorted[n-1], Runs: n}
}

// text is the median, with the spread behind it where there is more than one run.
func (f figure) text(format string) string {
	switch f.Runs {
	case 0:
		return "-"
	case 1:
		return fmt.Sprintf(format, f.Median)
	}
	return fmt.Sprintf(format+" ("+format+"–"+format+")", f.Median, f.Min, f.Max)
}
