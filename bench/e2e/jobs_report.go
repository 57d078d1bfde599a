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
	Commit     string `json:"commit"`
	Repeat     int    `json:"repeat"` // From 1; 0: thrown away.
	Discarded  bool   `json:"discarded,omitempty"`
	Jobs       int    `json:"jobs"`
	PodsPerJob int    `json:"pods_per_job"`
	Nodes      int    `json:"nodes"`
	Existing   int    `json:"existing"`
	ManagerQPS int    `json:"manager_qps"` // --kube-api-qps and --kube-api-burst of the manager.
	// How long after its binding was seen a pod is set Running; HoldPods: not before all are bound.
	PodStartS float64 `json:"pod_start_s"`
	HoldPods  bool    `json:"hold_pods"`

	Bound         int     `json:"bound"`
	TimedOut      bool    `json:"timed_out"`
	CreatedS      float64 `json:"created_s"` // Until the server had accepted the last job.
	FirstBindS    float64 `json:"first_bind_s"`
	AllBoundS     float64 `json:"all_bound_s"`
	LongestGapS   float64 `json:"longest_gap_s"`
	LongestGapAtS float64 `json:"longest_gap_at_s"`
	AllRunningS   float64 `json:"all_running_s"`    // 0 when pods are held.
	StartLateP50S float64 `json:"start_late_p50_s"` // From when a pod was due to run to the server's answer.
	StartLateMaxS float64 `json:"start_late_max_s"`

	WritesPerPod float64 `json:"writes_per_pod"` // Of all stages.
	// Per pod, in the first stage: without the statuses of Jobs and PodGroups of which a pod ran, and
	// those of them that came before the last pod of their job was bound.
	WritesUntilBound   float64            `json:"writes_until_bound"`
	WritesUntilBoundBy map[string]float64 `json:"writes_until_bound_by"`
	WhileBinding       float64            `json:"writes_of_running_while_binding"`

	PeakMiB    map[string]float64 `json:"peak_mib"`
	Stages     []*JobsStage       `json:"stages"`
	Violations []string           `json:"violations"`
}

// JobsStage is one step in the life of all jobs: until the pods are bound and run (with --hold-pods
// two steps); with --finish also until they have succeeded. It ends when the daemons are quiet.
type JobsStage struct {
	Name            string             `json:"name"`
	Seconds         float64            `json:"seconds"` // Without the wait for quiet.
	WritesPerPodSum float64            `json:"writes_per_pod"`
	WritesPerPod    map[string]float64 `json:"writes_per_pod_by"`
	CPUPer1000      map[string]float64 `json:"cpu_s_per_1000"`
	Calls           calls              `json:"calls"`
	OtherWrites     []otherWrite       `json:"other_writes"` // At most othersShown kinds.
}

// othersShown is how many of the unusual kinds of writes are reported per stage.
const othersShown = 5

func (s *JobsStage) note(found *stageWrites, pods float64) {
	s.Calls, s.WritesPerPod = found.calls, map[string]float64{}
	for user := range found.calls {
		s.WritesPerPod[user] = float64(found.calls.writesOf(user)) / pods
		s.WritesPerPodSum += s.WritesPerPod[user]
	}
	s.OtherWrites = found.others[:min(len(found.others), othersShown)]
}

func (r *JobsResult) noteUntilBound(found *stageWrites, pods float64) {
	r.WritesUntilBoundBy = map[string]float64{}
	for user, count := range found.untilBound {
		r.WritesUntilBoundBy[user] = float64(count) / pods
		r.WritesUntilBound += r.WritesUntilBoundBy[user]
	}
	r.WhileBinding = float64(found.whileBinding) / pods
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

// labelWidth is that of the names of lines in tables.
const labelWidth = 66

// column is one line of the table; its name is unique.
type column struct {
	name  string
	value func(*JobsResult) float64
}

// shapeRuns are all runs of one shape that count.
type shapeRuns []*JobsResult

// byShape puts the runs of one shape together, in order of the first of each.
func byShape(results []*JobsResult) []shapeRuns {
	var shapes []shapeRuns
	place := map[string]int{}
	for _, r := range results {
		i, known := place[r.Shape]
		if !known {
			i = len(shapes)
			place[r.Shape] = i
			shapes = append(shapes, nil)
		}
		shapes[i] = append(shapes[i], r)
	}
	return shapes
}

func (runs shapeRuns) figure(value func(*JobsResult) float64) figure {
	values := make([]float64, len(runs))
	for i, r := range runs {
		values[i] = value(r)
	}
	return newFigure(values)
}

func jobsColumns(shapes []shapeRuns) []column {
	columns := []column{
		{"pods bound", func(r *JobsResult) float64 { return float64(r.Bound) }},
		{"jobs created, s", func(r *JobsResult) float64 { return r.CreatedS }},
		{"first bind, s", func(r *JobsResult) float64 { return r.FirstBindS }},
		{"all bound, s", func(r *JobsResult) float64 { return r.AllBoundS }},
		{"longest gap, s", func(r *JobsResult) float64 { return r.LongestGapS }},
		{"all running, s", func(r *JobsResult) float64 { return r.AllRunningS }},
		{"most that a start was late, s", func(r *JobsResult) float64 { return r.StartLateMaxS }},
		{"writes per pod, all stages", func(r *JobsResult) float64 { return r.WritesPerPod }},
		{"writes per pod until bound", func(r *JobsResult) float64 { return r.WritesUntilBound }},
	}
	for _, d := range daemonsOfJobs {
		columns = append(columns, column{"writes per pod until bound: " + d.user,
			func(r *JobsResult) float64 { return r.WritesUntilBoundBy[d.user] }})
	}
	columns = append(columns, column{"not in it: of running, others being bound",
		func(r *JobsResult) float64 { return r.WhileBinding }})
	for i, stage := range shapes[0][0].Stages {
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
			columns = append(columns, column{stage.Name + ": writes per pod: " + name,
				of(func(s *JobsStage) float64 { return s.WritesPerPod[name] })})
		}
		for _, name := range slices.Sorted(maps.Keys(stage.CPUPer1000)) {
			columns = append(columns, column{stage.Name + ": CPU-s per 1,000 pods: " + name,
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

// shapeFigures is one shape in the summary; the figures have the names of the table.
type shapeFigures struct {
	Shape   string            `json:"shape"`
	Figures map[string]figure `json:"figures"`
}

func jobsSummary(made stamp, shapes []shapeRuns) any {
	out := struct {
		stamp
		Shapes []shapeFigures `json:"shapes"`
	}{stamp: made}
	for _, runs := range shapes {
		of := shapeFigures{runs[0].Shape, map[string]figure{}}
		for _, column := range jobsColumns(shapes) {
			of.Figures[column.name] = runs.figure(column.value)
		}
		out.Shapes = append(out.Shapes, of)
	}
	return out
}

// shapeWidth is that of a column: a median and its spread.
const shapeWidth = 28

// printJobs shows one column per shape, then the calls per pod of each. Figures are medians.
func printJobs(out io.Writer, p *Params, shapes []shapeRuns) {
	fmt.Fprintf(out, "%d nodes, %d existing pods; vc-controller-manager with --kube-api-qps %d "+
		"--kube-api-burst %d; audit log on; %s\n%-*s", p.Nodes, p.Existing, p.ManagerQPS, p.ManagerQPS,
		p.podStartText(), labelWidth, "")
	for _, runs := range shapes {
		fmt.Fprintf(out, "%*s", shapeWidth, runs[0].Shape)
	}
	fmt.Fprintln(out)
	for _, column := range jobsColumns(shapes) {
		fmt.Fprintf(out, "%-*s", labelWidth, column.name)
		for _, runs := range shapes {
			fmt.Fprintf(out, "%*s", shapeWidth, runs.figure(column.value).text("%.3f"))
		}
		fmt.Fprintln(out)
	}
	results := slices.Concat(shapes...)
	fmt.Fprintln(out, "API calls per pod, as the audit log has them; * changes something")
	for _, name := range callNames(results) {
		mark := " "
		if isWrite(name.call) {
			mark = "*"
		}
		fmt.Fprintf(out, "%s %-*s", mark, labelWidth-2, name.stage+" "+name.user+" "+name.call)
		for _, runs := range shapes {
			perPod := func(r *JobsResult) float64 { return r.callsPerPod(name) }
			fmt.Fprintf(out, "%*s", shapeWidth, runs.figure(perPod).text("%.4f"))
		}
		fmt.Fprintln(out)
	}
	printOtherWrites(out, results)
}

// printOtherWrites shows for each run what else the daemons wrote.
func printOtherWrites(out io.Writer, results []*JobsResult) {
	fmt.Fprintf(out, "Other writes, leases included: neither the creation of a pod or PodGroup, a binding, an "+
		"event of a pod\nnor the status of a Job or PodGroup, or refused; at most %d kinds per stage\n", othersShown)
	for _, r := range results {
		for _, s := range r.Stages {
			for _, write := range s.OtherWrites {
				fmt.Fprintf(out, "%-*s%12d%12.4f per pod\n", labelWidth,
					r.Shape+" "+s.Name+": "+write.User+" "+write.Call, write.Count,
					float64(write.Count)/float64(r.Jobs*r.PodsPerJob))
			}
		}
	}
}

func (p *Params) podStartText() string {
	if p.HoldPods {
		return "no pod runs before all are bound"
	}
	return fmt.Sprintf("pods run %v after they were seen bound", p.PodStart)
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
