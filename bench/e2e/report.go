package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// row is one line of the table: a name, a format and how to read it from a result.
type row struct {
	name   string
	format string
	value  func(*Result) (float64, bool)
}

func plain(f func(*Result) float64) func(*Result) (float64, bool) {
	return func(r *Result) (float64, bool) { return f(r), true }
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

var rows = []row{
	{"pods bound", "%.0f", plain(func(r *Result) float64 { return float64(r.Bound) })},
	{"binds/s, start to last", "%.0f", plain(func(r *Result) float64 { return r.BindsPerS })},
	{"binds/s, middle 80 %", "%.0f", plain(func(r *Result) float64 { return r.BindsPerSMid })},
	{"first bind, s", "%.3f", plain(func(r *Result) float64 { return r.FirstBindS })},
	{"all bound, s", "%.3f", plain(func(r *Result) float64 { return r.AllBoundS })},
	{"longest gap, s", "%.3f", plain(func(r *Result) float64 { return r.LongestGapS })},
	{"CPU-s per 1,000 binds: subject", "%.3f", plain(func(r *Result) float64 { return r.SubjectCPUPer1000 })},
	{"  kube-apiserver", "%.3f", plain(func(r *Result) float64 { return r.APIServerCPUPer1000 })},
	{"  etcd", "%.3f", plain(func(r *Result) float64 { return r.EtcdCPUPer1000 })},
	{"peak memory, MiB", "%.1f", plain(func(r *Result) float64 { return r.SubjectPeakMiB })},
	{"API writes", "%.0f", plain(func(r *Result) float64 { return r.Writes.total() })},
	{"idle CPU, % of a core", "%.3f", ofIdle(func(i *IdleResult) float64 { return i.CPUPercent })},
	{"idle writes per minute", "%.1f", ofIdle(func(i *IdleResult) float64 { return i.WritesPerMinute })},
	{"single pod p50, ms", "%.1f", ofSingles(func(s *SingleResult) float64 { return s.P50Ms })},
	{"single pod p99, ms", "%.1f", ofSingles(func(s *SingleResult) float64 { return s.P99Ms })},
	{"violations", "%.0f", plain(func(r *Result) float64 { return float64(len(r.Violations)) })},
}

// printTable shows the median of each figure per subject, the writes by kind, and the ratios.
func printTable(out io.Writer, p *Params, results []*Result) {
	fmt.Fprintf(out, "\n%d nodes, %d pods in gangs of %d, %d existing, %d hopeless, %d repeat(s)\n",
		p.Nodes, p.Pods, p.Gang, p.Existing, p.Hopeless, p.Repeat)
	of := map[string][]*Result{}
	for _, r := range results {
		of[r.Subject] = append(of[r.Subject], r)
	}
	fmt.Fprintf(out, "%-34s", "")
	for _, name := range p.Subjects {
		fmt.Fprintf(out, "%16s", name)
	}
	fmt.Fprintln(out)
	for _, row := range rows {
		fmt.Fprintf(out, "%-34s", row.name)
		for _, name := range p.Subjects {
			fmt.Fprintf(out, "%16s", row.text(of[name]))
		}
		fmt.Fprintln(out)
	}
	printWrites(out, p, of)
	printRatios(out, of)
}

func (row row) text(results []*Result) string {
	if value, ok := row.median(results); ok {
		return fmt.Sprintf(row.format, value)
	}
	return "-"
}

// median of an even number is the lower of the two in the middle.
func (row row) median(results []*Result) (float64, bool) {
	var values []float64
	for _, r := range results {
		if value, ok := row.value(r); ok {
			values = append(values, value)
		}
	}
	if len(values) == 0 {
		return 0, false
	}
	slices.Sort(values)
	return values[(len(values)-1)/2], true
}

func printWrites(out io.Writer, p *Params, of map[string][]*Result) {
	var kinds []string
	for _, results := range of {
		for kind := range results[0].Writes {
			if !slices.Contains(kinds, kind) {
				kinds = append(kinds, kind)
			}
		}
	}
	slices.Sort(kinds)
	fmt.Fprintln(out, "API writes by kind, first run")
	for _, kind := range kinds {
		fmt.Fprintf(out, "  %-32s", kind)
		for _, name := range p.Subjects {
			fmt.Fprintf(out, "%16.0f", of[name][0].Writes[kind])
		}
		fmt.Fprintln(out)
	}
}

// printRatios compares our scheduler with its neighbours in the same run.
func printRatios(out io.Writer, of map[string][]*Result) {
	ours := of["vc-scheduler"]
	if len(ours) == 0 {
		return
	}
	for _, name := range []string{"kube-scheduler", "bare-client"} {
		if len(of[name]) == 0 {
			continue
		}
		var parts []string
		for _, row := range rows[1:3] {
			mine, _ := row.median(ours)
			if theirs, _ := row.median(of[name]); theirs > 0 {
				parts = append(parts, fmt.Sprintf("%.2f (%s)", mine/theirs, row.name))
			}
		}
		fmt.Fprintf(out, "vc-scheduler / %s: %s\n", name, strings.Join(parts, ", "))
	}
}
