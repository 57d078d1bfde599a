package main

import (
	"fmt"
	"io"
	"strings"
)

// term is a quantity of one column.
type term struct {
	column string
	of     quantity
}

// bound is the limit that a goal sets: for a ratio in times, else in the unit of the quantity.
type bound struct {
	atLeast bool
	limit   float64
	// isStrict: the limit itself is too much. Only with an upper limit.
	isStrict bool
}

func atLeast(limit float64) bound { return bound{atLeast: true, limit: limit} }
func atMost(limit float64) bound  { return bound{limit: limit} }
func below(limit float64) bound   { return bound{limit: limit, isStrict: true} }

func (b bound) holds(value float64) bool {
	switch {
	case b.atLeast:
		return value >= b.limit
	case b.isStrict:
		return value < b.limit
	}
	return value <= b.limit
}

func (b bound) text() string {
	sign := "≤"
	if b.atLeast {
		sign = "≥"
	} else if b.isStrict {
		sign = "<"
	}
	return fmt.Sprintf("%s %.3g", sign, b.limit)
}

// verdict is a goal of docs/benchmarks.md and whether the median meets it.
type verdict struct {
	What   string  `json:"what"`
	Goal   string  `json:"goal"`
	Ours   figure  `json:"ours"`
	Beside *figure `json:"beside,omitempty"` // What it is compared with, in the same run.
	Ratio  *figure `json:"ratio,omitempty"`
	IsMet  bool    `json:"is_met"`

	format string
}

const (
	ours  = "vc-scheduler"
	agent = "vc-agent-scheduler"
	peer  = "kube-scheduler"
)

// goals judges whatever this command measured; what it did not is left out.
func (c *comparison) goals() []verdict {
	var found []verdict
	relative := func(a, b term, limit bound) {
		if ratio := c.ratio(a, b); ratio.Runs > 0 {
			other := c.figure(b.column, b.of)
			goal := fmt.Sprintf("%s × %s", limit.text(), b.column)
			if a.column == b.column {
				goal = fmt.Sprintf("%s × %s", limit.text(), b.of.name)
			}
			found = append(found, verdict{What: a.column + ": " + a.of.name, Goal: goal,
				Ours: c.figure(a.column, a.of), Beside: &other, Ratio: &ratio,
				IsMet: limit.holds(ratio.Median), format: a.of.format})
		}
	}
	absolute := func(of quantity, limit bound) {
		if value := c.figure(ours, of); value.Runs > 0 {
			found = append(found, verdict{What: ours + ": " + of.name, Goal: limit.text(), Ours: value,
				IsMet: limit.holds(value.Median), format: of.format})
		}
	}
	bare := c.strongestBare()
	if c.params.Pods >= burstPods {
		relative(term{ours, bindsPerS}, term{peer, bindsPerS}, atLeast(3.5))
		relative(term{ours, bindsPerS}, term{bare, bindsPerS}, atLeast(0.95))
		relative(term{ours, paidCPU}, term{peer, subjectCPU}, atMost(0.1))
		relative(term{ours, paidCPU}, term{bare, subjectCPU}, atMost(1.5))
		for _, mark := range []string{antiAffinityMark, spreadMark} {
			relative(term{ours + mark, bindsPerS}, term{ours, bindsPerS}, atLeast(1.0/3))
		}
	}
	for _, pair := range [][2]quantity{{singleP50, singleP50}, {singleP99, singleP99},
		{fromPodP50, singleP50}, {fromPodP99, singleP99}, {plainP50, singleP50}, {plainP99, singleP99}} {
		relative(term{ours, pair[0]}, term{peer, pair[1]}, atMost(1))
	}
	if c.params.Pods >= burstPods {
		relative(term{agent, bindsPerS}, term{peer, bindsPerS}, atLeast(3))
	}
	for _, latency := range []quantity{singleP50, singleP99} {
		relative(term{agent, latency}, term{peer, latency}, atMost(1))
	}
	for _, pair := range [][2]quantity{{besideP50, singleP50}, {besideP99, singleP99}} {
		relative(term{ours, pair[0]}, term{ours, pair[1]}, atMost(waitingTolerance))
	}
	absolute(idleWrites, atMost(0))
	absolute(idleCPU, below(0.1))
	switch p := c.params; {
	case p.Nodes >= 5000 && p.Existing >= 100_000:
		absolute(firstBind, atMost(4))
		absolute(peakMemory, atMost(250e6/(1<<20))) // 250 MB.
	case p.Nodes >= 1000 && p.Existing >= 20_000:
		absolute(firstBind, atMost(1.5))
	}
	return found
}

// burstPods is the size that goals of bindings per second and of CPU are set for: with fewer pods,
// the start of the programs is what counts.
const burstPods = 5000

// waitingTolerance is what single pods may take longer beside waiting gangs. The goal is "as if none
// waited"; two measurements of the same thing differ by about as much.
const waitingTolerance = 1.1

func (v verdict) ratioText() string {
	if v.Ratio == nil {
		return ""
	}
	return v.Ratio.text("%.2f") + " ×"
}

func (v verdict) outcome() string {
	if v.IsMet {
		return "met"
	}
	return "missed"
}

// printGoals writes lines for the table of docs/benchmarks.md.
func (c *comparison) printGoals(out io.Writer) {
	found := c.goals()
	if len(found) == 0 {
		return
	}
	fmt.Fprint(out, "\n| What | Goal | Measured | Beside it | Ratio | | Commit |\n|---|---|---|---|---|---|---|\n")
	for _, v := range found {
		other := ""
		if v.Beside != nil {
			other = v.Beside.text(v.format)
		}
		cells := []string{v.What, v.Goal, v.Ours.text(v.format), other, v.ratioText(), v.outcome(), c.made.Commit}
		fmt.Fprintf(out, "| %s |\n", strings.Join(cells, " | "))
	}
}
