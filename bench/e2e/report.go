package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// quantity is one line of the table: a key for JSON, a name, a format and how to read it from a
// result that may not have it.
type quantity struct {
	key, name, format string
	value             func(*Result) (float64, bool)
}

func plain(f func(*Result) float64) func(*Result) (float64, bool) {
	return func(r *Result) (float64, bool) { return f(r), true }
}

// positive leaves out what is 0 when it was not measured.
func positive(f func(*Result) float64) func(*Result) (float64, bool) {
	return func(r *Result) (float64, bool) { return f(r), f(r) > 0 }
}

func ofIdle(f func(*IdleResult) float64) func(*Result) (float64, bool) {
	return func(r *Result) (float64, bool) {
		if r.Idle == nil {
			return 0, false
		}
		return f(r.Idle), true
	}
}

func ofSingles(f func(*SingleResult) float64) func(*Result) (float64, bool) {
	return func(r *Result) (float64, bool) {
		if r.Singles == nil {
			return 0, false
		}
		return f(r.Singles), true
	}
}

func ofPlainSingles(f func(*SingleResult) float64) func(*Result) (float64, bool) {
	return func(r *Result) (float64, bool) {
		if r.PlainSingles == nil {
			return 0, false
		}
		return f(r.PlainSingles), true
	}
}

func ofWaiting(f func(*WaitingResult) float64) func(*Result) (float64, bool) {
	return func(r *Result) (float64, bool) {
		if r.Waiting == nil {
			return 0, false
		}
		return f(r.Waiting), true
	}
}

// Quantities that goals are set for.
var (
	bindsPerS = quantity{"binds_per_s", "binds/s, start to last", "%.0f",
		plain(func(r *Result) float64 { return r.BindsPerS })}
	firstBind = quantity{"first_bind_s", "first bind, s", "%.3f",
		plain(func(r *Result) float64 { return r.FirstBindS })}
	subjectCPU = quantity{"subject_cpu_s_per_1000", "CPU-s per 1,000 binds", "%.3f",
		plain(func(r *Result) float64 { return r.SubjectCPUPer1000 })}
	// paidCPU leaves out runs that lack events: their CPU is not all that the bindings cost.
	paidCPU = quantity{subjectCPU.key, subjectCPU.name + ", with all events", subjectCPU.format,
		func(r *Result) (float64, bool) { return r.SubjectCPUPer1000, r.hasAllEvents() }}
	peakMemory = quantity{"subject_peak_mib", "peak memory, MiB", "%.1f",
		plain(func(r *Result) float64 { return r.SubjectPeakMiB })}
	idleCPU = quantity{"idle_cpu_percent", "idle CPU, % of a core", "%.3f",
		ofIdle(func(i *IdleResult) float64 { return i.CPUPercent })}
	idleWrites = quantity{"idle_writes_per_minute", "idle writes per minute", "%.1f",
		ofIdle(func(i *IdleResult) float64 { return i.WritesPerMinute })}
	singleP50 = quantity{"single_p50_ms", "single pod p50, ms", "%.1f",
		ofSingles(func(s *SingleResult) float64 { return s.P50Ms })}
	singleP99 = quantity{"single_p99_ms", "single pod p99, ms", "%.1f",
		ofSingles(func(s *SingleResult) float64 { return s.P99Ms })}
	fromPodP50 = quantity{"single_from_pod_p50_ms", "single pod p50 without creation of its group, ms", "%.1f",
		ofSingles(func(s *SingleResult) float64 { return s.FromPodP50Ms })}
	fromPodP99 = quantity{"single_from_pod_p99_ms", "single pod p99 without creation of its group, ms", "%.1f",
		ofSingles(func(s *SingleResult) float64 { return s.FromPodP99Ms })}
	plainP50 = quantity{"plain_single_p50_ms", "single pod p50, group by controller, ms", "%.1f",
		ofPlainSingles(func(s *SingleResult) float64 { return s.P50Ms })}
	plainP99 = quantity{"plain_single_p99_ms", "single pod p99, group by controller, ms", "%.1f",
		ofPlainSingles(func(s *SingleResult) float64 { return s.P99Ms })}
	besideP50 = quantity{"beside_p50_ms", "single pod p50 beside waiting gangs, ms", "%.1f",
		ofWaiting(func(w *WaitingResult) float64 { return w.Singles.P50Ms })}
	besideP99 = quantity{"beside_p99_ms", "single pod p99 beside waiting gangs, ms", "%.1f",
		ofWaiting(func(w *WaitingResult) float64 { return w.Singles.P99Ms })}
)

var quantities = []quantity{
	{"bound", "pods bound", "%.0f", plain(func(r *Result) float64 { return float64(r.Bound) })},
	bindsPerS,
	{"binds_per_s_mid", "binds/s, middle 80 %", "%.0f", plain(func(r *Result) float64 { return r.BindsPerSMid })},
	firstBind,
	{"all_bound_s", "all bound, s", "%.3f", plain(func(r *Result) float64 { return r.AllBoundS })},
	{"longest_gap_s", "longest gap, s", "%.3f", plain(func(r *Result) float64 { return r.LongestGapS })},
	{"events_done_s", "events done after the last bind, s", "%.2f",
		plain(func(r *Result) float64 { return r.EventsDoneS })},
	{"events", "events written", "%.0f", plain(func(r *Result) float64 { return r.events() })},
	{"events_after_last_bind", "  of them after the last bind", "%.0f",
		plain(func(r *Result) float64 { return float64(r.EventsAfter) })},
	subjectCPU,
	{"apiserver_cpu_s_per_1000", "  of kube-apiserver", "%.3f",
		plain(func(r *Result) float64 { return r.APIServerCPUPer1000 })},
	{"etcd_cpu_s_per_1000", "  of etcd", "%.3f", plain(func(r *Result) float64 { return r.EtcdCPUPer1000 })},
	{"subject_cpu_s_to_first_bind", "CPU-s until the first bind", "%.2f",
		plain(func(r *Result) float64 { return r.SubjectCPUFirstBind })},
	{"apiserver_cpu_s_to_first_bind", "  of kube-apiserver", "%.2f",
		plain(func(r *Result) float64 { return r.APIServerCPUFirstBind })},
	peakMemory,
	{"subject_resident_mib", "memory when quiet, MiB", "%.1f",
		positive(func(r *Result) float64 { return r.SubjectResidentMiB })},
	{"subject_empty_mib", "memory on an empty server, MiB", "%.1f",
		positive(func(r *Result) float64 { return r.SubjectEmptyMiB })},
	{"subject_growth_mib", "  from there to the peak, MiB", "%.1f",
		positive(func(r *Result) float64 { return r.SubjectGrowthMiB })},
	{"writes", "API writes", "%.0f", plain(func(r *Result) float64 { return r.Writes.total() })},
	idleCPU, idleWrites, singleP50, singleP99, fromPodP50, fromPodP99,
	plainP50, plainP99, besideP50, besideP99,
	{"waiting_created_s", "waiting gangs created, s", "%.2f",
		ofWaiting(func(w *WaitingResult) float64 { return w.CreatedS })},
	{"waiting_settle_s", "  until the subject is quiet, s", "%.2f",
		ofWaiting(func(w *WaitingResult) float64 { return w.SettleS })},
	{"waiting_cpu_s", "  CPU-s for that", "%.2f", ofWaiting(func(w *WaitingResult) float64 { return w.CPUS })},
	{"waiting_growth_mib", "  memory grown by, MiB", "%.1f",
		ofWaiting(func(w *WaitingResult) float64 { return w.GrowthMiB })},
	{"others_cores", "cores busy with other things", "%.2f", plain(func(r *Result) float64 { return r.OthersCores })},
	{"violations", "violations", "%.0f", plain(func(r *Result) float64 { return float64(len(r.Violations)) })},
}

const nameWidth, columnWidth = 42, 30

// text says what was measured, for the head of a table.
func (s stamp) text(repeats int, isFirstDiscarded bool) string {
	thrown := ""
	if isFirstDiscarded {
		thrown = " after one that was thrown away"
	}
	return fmt.Sprintf("commit %s, %s, %s, %d run(s)%s\nbench/e2e/run %s", s.Commit, s.Date, s.Machine,
		repeats, thrown, strings.Join(s.Args, " "))
}

// print shows the median and spread of each figure per column, the writes by kind, and the goals.
func (c *comparison) print(out io.Writer) {
	p := c.params
	fmt.Fprintf(out, "\n%s\n", c.made.text(p.Repeat, p.firstRepeat() == 0))
	fmt.Fprintf(out, "%d nodes, %d pods in gangs of %d, %d existing, %d hopeless\n%-*s",
		p.Nodes, p.Pods, p.Gang, p.Existing, p.Hopeless, nameWidth, "")
	for _, column := range c.columns {
		fmt.Fprintf(out, "%*s", columnWidth, column)
	}
	fmt.Fprintln(out)
	for _, of := range quantities {
		c.printLine(out, of)
	}
	c.printWrites(out)
	if bare := c.strongestBare(); len(p.Connections) > 1 && bare != "" {
		fmt.Fprintf(out, "strongest of %d: %s, %s binds/s\n", len(p.Connections), bare,
			c.figure(bare, bindsPerS).text("%.0f"))
	}
	for _, column := range c.columns {
		for _, r := range c.runs[column] {
			if r.NeverQuiet {
				fmt.Fprintf(out, "%s, run %d: still at work when patience ended\n", column, r.Repeat)
			}
			if r.Subject != "bare-client" && !r.hasAllEvents() {
				fmt.Fprintf(out, "%s, run %d: %.0f events for %d bindings: its CPU is not compared\n",
					column, r.Repeat, r.events(), r.Bound)
			}
		}
	}
	c.printGoals(out)
}

// printLine leaves out what no column has.
func (c *comparison) printLine(out io.Writer, of quantity) {
	var cells strings.Builder
	runs := 0
	for _, column := range c.columns {
		value := c.figure(column, of)
		runs += value.Runs
		fmt.Fprintf(&cells, "%*s", columnWidth, value.text(of.format))
	}
	if runs > 0 {
		fmt.Fprintf(out, "%-*s%s\n", nameWidth, of.name, cells.String())
	}
}

func (c *comparison) printWrites(out io.Writer) {
	var kinds []string
	for _, results := range c.runs {
		for kind := range results[0].Writes {
			if !slices.Contains(kinds, kind) {
				kinds = append(kinds, kind)
			}
		}
	}
	slices.Sort(kinds)
	fmt.Fprintln(out, "API writes by kind, first run that counts")
	for _, kind := range kinds {
		fmt.Fprintf(out, "  %-*s", nameWidth-2, kind)
		for _, column := range c.columns {
			fmt.Fprintf(out, "%*.0f", columnWidth, c.runs[column][0].Writes[kind])
		}
		fmt.Fprintln(out)
	}
}

// summaryColumn is one column of the summary in JSON.
type summaryColumn struct {
	Column  string            `json:"column"`
	Figures map[string]figure `json:"figures"`
}

// summary is all that the tables show but the writes by kind, which each run has.
func (c *comparison) summary() any {
	out := struct {
		stamp
		Repeats       int             `json:"repeats"`
		Discarded     int             `json:"discarded"`
		StrongestBare string          `json:"strongest_bare,omitempty"`
		Columns       []summaryColumn `json:"columns"`
		Goals         []verdict       `json:"goals"`
	}{stamp: c.made, Repeats: c.params.Repeat, Discarded: 1 - c.params.firstRepeat(),
		StrongestBare: c.strongestBare(), Goals: c.goals()}
	for _, column := range c.columns {
		of := summaryColumn{column, map[string]figure{}}
		for _, quantity := range quantities {
			if value := c.figure(column, quantity); value.Runs > 0 {
				of.Figures[quantity.key] = value
			}
		}
		out.Columns = append(out.Columns, of)
	}
	return out
}
