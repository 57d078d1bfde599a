package main

import "strings"

// comparison is what one command measured: for each column the runs that count, in order.
type comparison struct {
	params  *Params
	made    stamp
	columns []string
	runs    map[string][]*Result
}

func newComparison(p *Params, made stamp) *comparison {
	c := &comparison{params: p, made: made, runs: map[string][]*Result{}}
	for _, s := range p.columns() {
		c.columns = append(c.columns, s.label)
	}
	return c
}

func (c *comparison) add(r *Result) {
	if !r.Discarded {
		c.runs[r.Column] = append(c.runs[r.Column], r)
	}
}

func (c *comparison) figure(column string, of quantity) figure {
	var values []float64
	for _, r := range c.runs[column] {
		if value, ok := of.value(r); ok {
			values = append(values, value)
		}
	}
	return newFigure(values)
}

// ratio divides within each repeat, whose runs met the machine in the same hour.
func (c *comparison) ratio(above, below term) figure {
	var values []float64
	for i, r := range c.runs[above.column] {
		if i >= len(c.runs[below.column]) {
			break
		}
		a, hasA := above.of.value(r)
		b, hasB := below.of.value(c.runs[below.column][i])
		if hasA && hasB && b > 0 {
			values = append(values, a/b)
		}
	}
	return newFigure(values)
}

// strongestBare is the column of bare-client with most bindings per second; "" when it did not run.
func (c *comparison) strongestBare() string {
	best, name := 0.0, ""
	for _, column := range c.columns {
		if !strings.HasPrefix(column, "bare-client") {
			continue
		}
		if rate := c.figure(column, bindsPerS).Median; rate > best {
			best, name = rate, column
		}
	}
	return name
}
