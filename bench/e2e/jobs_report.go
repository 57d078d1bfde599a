package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
)

// JobsResult is one run with batch jobs; its JSON form is one line of output. Times are seconds
// after the first job was sent.
type JobsResult struct {
	Shape      string `json:"shape"` // JOBSxPODS
	Repeat     int    `json:"repeat"`
	Jobs       int    `json:"jobs"`
	PodsPerJob int    `json:"pods_per_job"`
	Nodes      int    `json:"nodes"`
	Existing   int    `json:"existing"`
	ManagerQPS int    `json:"manager_qps"` // --kube-api-qps and --kube-api-burst of the manager.

	Bound         int     `json:"bound"`
	TimedOut      bool    `json:"timed_out"`
	CreatedS      float64 `json:"created_s"` // Until the server had accepted the last job.
	FirstBindS    float64 `json:"first_bind_s"`
	AllBoundS     float64 `json:"all_bound_s"`
	LongestGapS   float64 `json:"longest_gap_s"`
	LongestGapAtS float64 `json:"longest_gap_at_s"`

	WritesPerPod float64            `json:"writes_per_pod"` // Of all stages.
	PeakMiB      map[string]float64 `json:"peak_mib"`
	Stages       []*JobsStage       `json:"stages"`
	Violations   []string           `json:"violations"`
}

// JobsStage is one step in the life of all jobs: until the pods are bound; with --finish also until
// they run and until they have succeeded. It ends when the daemons are quiet.
type JobsStage struct {
	Name            string             `json:"name"`
	Seconds         float64            `json:"seconds"` // Without the wait for quiet.
	WritesPerPodSum float64            `json:"writes_per_pod"`
	WritesPerPod    map[string]float64 `json:"writes_per_pod_by"`
	CPUPer1000      map[string]float64 `json:"cpu_s_per_1000"`
	Calls           calls              `json:"calls"`
}

func (r *JobsResult) judge() error {
	if r.TimedOut {
		return fmt.Errorf("%s: only %d of %d pods were bound in time", r.Shape, r.Bound, r.Jobs*r.PodsPerJob)
	}
	if len(r.Violations) > 0 {
		return fmt.Errorf("%s: %d violations, the first: %s", r.Shape, len(r.Violations), r.Violations[0])
	}
	return nil
}

// column is one line of the table of runs.
type column struct {
	name  string
	value func(*JobsResult) float64
}

func jobsColumns(results []*JobsResult) []column {
	columns := []column{
		{"pods bound", func(r *JobsResult) float64 { return float64(r.Bound) }},
		{"jobs created, s", func(r *JobsResult) float64 { return r.CreatedS }},
		{"first bind, s", func(r *JobsResult) float64 { return r.FirstBindS }},
		{"all bound, s", func(r *JobsResult) float64 { return r.AllBoundS }},
		{"longest gap, s", func(r *JobsResult) float64 { return r.LongestGapS }},
		{"writes per pod, all stages", func(r *JobsResult) float64 { return r.WritesPerPod }},
	}
	for i, stage := range results[0].Stages {
		of := func(value func(*JobsStage) float64) func(*JobsResult) float64 {
			return func(r *JobsResult) float64 {
				if i >= len(r.Stages) {
					return 0
				}
				return value(r.Stages[i])
			}
		}
		columns = append(columns, column{stage.Name + ": writes per pod",
			of(func(s *JobsStage) float64 { return s.WritesPerPodSum })})
		for _, name := range slices.Sorted(maps.Keys(stage.WritesPerPod)) {
			columns = append(columns, column{"  of " + name,
				of(func(s *JobsStage) float64 { return s.WritesPerPod[name] })})
		}
		for _, name := range slices.Sorted(maps.Keys(stage.CPUPer1000)) {
			columns = append(columns, column{"  CPU-s per 1,000 pods: " + name,
				of(func(s *JobsStage) float64 { return s.CPUPer1000[name] })})
		}
	}
	for _, d := range daemonsOfJobs {
		columns = append(columns, column{"peak memory, MiB: " + d.program,
			func(r *JobsResult) float64 { return r.PeakMiB[d.program] }})
	}
	return append(columns,
		column{"violations", func(r *JobsResult) float64 { return float64(len(r.Violations)) }})
}

// printJobs shows one column per run, then the calls per pod of each.
func printJobs(out io.Writer, p *Params, results []*JobsResult) {
	fmt.Fprintf(out, "\n%d nodes, %d existing pods; vc-controller-manager with --kube-api-qps %d "+
		"--kube-api-burst %d; audit log on\n%-46s", p.Nodes, p.Existing, p.ManagerQPS, p.ManagerQPS, "")
	for _, r := range results {
		fmt.Fprintf(out, "%12s", r.Shape)
	}
	fmt.Fprintln(out)
	for _, column := range jobsColumns(results) {
		fmt.Fprintf(out, "%-46s", column.name)
		for _, r := range results {
			fmt.Fprintf(out, "%12.3f", column.value(r))
		}
		fmt.Fprintln(out)
	}
	fmt.Fprintln(out, "API calls per pod, as the audit log has them; * changes something")
	for _, name := range callNames(results) {
		mark := " "
		if isWrite(name.call) {
			mark = "*"
		}
		fmt.Fprintf(out, "%s %-44s", mark, name.stage+" "+name.user+" "+name.call)
		for _, r := range results {
			fmt.Fprintf(out, "%12.4f", r.callsPerPod(name))
		}
		fmt.Fprintln(out)
	}
}

type callName struct{ stage, user, call string }

// callNames lists the calls of all runs, in the order of stages.
func callNames(results []*JobsResult) []callName {
	var names []callName
	for i, stage := range results[0].Stages {
		for _, d := range daemonsOfJobs {
			made := map[string]bool{}
			for _, r := range results {
				if i < len(r.Stages) {
					for call := range r.Stages[i].Calls[d.user] {
						made[call] = true
					}
				}
			}
			for _, call := range slices.Sorted(maps.Keys(made)) {
				names = append(names, callName{stage.Name, d.user, call})
			}
		}
	}
	return names
}

func (r *JobsResult) callsPerPod(name callName) float64 {
	for _, s := range r.Stages {
		if s.Name == name.stage {
			return float64(s.Calls[name.user][name.call]) / float64(r.Jobs*r.PodsPerJob)
		}
	}
	return 0
}
