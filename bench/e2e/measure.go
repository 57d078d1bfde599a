package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Result is one run; its JSON form is one line of output. Times are seconds after the start of the
// subject's process, unless the name says otherwise.
type Result struct {
	Subject     string `json:"subject"`
	Column      string `json:"column"` // The subject and what is special about this run of it.
	Commit      string `json:"commit"`
	Repeat      int    `json:"repeat"` // From 1; 0: thrown away.
	Discarded   bool   `json:"discarded,omitempty"`
	Nodes       int    `json:"nodes"`
	Pods        int    `json:"pods"`
	Gang        int    `json:"gang"`
	Existing    int    `json:"existing"`
	Hopeless    int    `json:"hopeless"`
	Connections int    `json:"connections,omitempty"` // Of bare-client.

	Bound         int     `json:"bound"`
	TimedOut      bool    `json:"timed_out"`
	BindsPerS     float64 `json:"binds_per_s"`     // From the start of the process to the last binding.
	BindsPerSMid  float64 `json:"binds_per_s_mid"` // Between the tenth and the ninetieth percent.
	FirstBindS    float64 `json:"first_bind_s"`
	AllBoundS     float64 `json:"all_bound_s"`
	LongestGapS   float64 `json:"longest_gap_s"`
	LongestGapAtS float64 `json:"longest_gap_at_s"`

	// Of each process, from the start until it is quiet, events included.
	SubjectCPUPer1000   float64 `json:"subject_cpu_s_per_1000"`
	APIServerCPUPer1000 float64 `json:"apiserver_cpu_s_per_1000"`
	EtcdCPUPer1000      float64 `json:"etcd_cpu_s_per_1000"`
	Writes              writes  `json:"writes"`

	// Seconds of CPU from the start of the subject until the watch showed the first binding.
	SubjectCPUFirstBind   float64 `json:"subject_cpu_s_to_first_bind"`
	APIServerCPUFirstBind float64 `json:"apiserver_cpu_s_to_first_bind"`

	EventsAfter int     `json:"events_after_last_bind"` // Written after the last binding was seen.
	EventsDoneS float64 `json:"events_done_s"`          // The last of them after the last binding; 0: none.
	NeverQuiet  bool    `json:"never_quiet,omitempty"`  // Still at work when patience ended.

	// Memory of the subject: when quiet (VmRSS), the most (VmHWM), and with --baseline what a process
	// has resident that found an empty server, and how much the cluster adds to that at most.
	SubjectResidentMiB float64 `json:"subject_resident_mib"`
	SubjectPeakMiB     float64 `json:"subject_peak_mib"`
	SubjectEmptyMiB    float64 `json:"subject_empty_mib,omitempty"`
	SubjectGrowthMiB   float64 `json:"subject_growth_mib,omitempty"`

	// Cores kept busy by what is no part of the measurement, until the last binding; of these, what
	// the host gave to other machines. Figures of a busy machine mean little.
	OthersCores float64 `json:"others_cores"`
	StolenCores float64 `json:"stolen_cores"`

	KilledAt int  `json:"killed_at,omitempty"` // Bindings seen when the first process was killed.
	Standby  bool `json:"standby,omitempty"`   // Another process stood by and took over.

	Idle    *IdleResult    `json:"idle,omitempty"`
	Singles *SingleResult  `json:"singles,omitempty"`
	Waiting *WaitingResult `json:"waiting,omitempty"`
	// Without a PodGroup, which vc-controller-manager makes.
	PlainSingles *SingleResult `json:"plain_singles,omitempty"`

	Violations []string `json:"violations"` // Partly bound gangs, overfull nodes; must be empty.
}

// IdleResult is what the subject does when there is nothing to do.
type IdleResult struct {
	Seconds         float64 `json:"seconds"`
	CPUPercent      float64 `json:"cpu_percent"` // Of one core.
	WritesPerMinute float64 `json:"writes_per_minute"`
	Writes          writes  `json:"writes"`
}

// run is one subject on one server.
type run struct {
	params   *Params
	subject  subject
	server   *server
	world    *world
	observer *observer
	process  *program
	standby  *program // Waits for its turn; nil when there is none or it has it.
	result   *Result
}

// patience is how long a subject may go on after the last binding.
const patience = 30 * time.Second

// measure makes a fresh server, fills it, lets the subject work and reports.
func measure(ctx context.Context, p *Params, s subject) (*Result, error) {
	on, err := startServer(ctx, p)
	if err != nil {
		return nil, err
	}
	defer on.stop(p.Keep)
	r := &run{params: p, subject: s, server: on, world: newWorld(p, s, on), result: &Result{
		Subject: s.name, Column: s.label, Nodes: p.Nodes, Pods: p.Pods, Gang: p.Gang,
		Existing: p.Existing, Hopeless: p.Hopeless, Connections: s.connections}}
	begin := time.Now()
	if err := r.prepare(ctx); err != nil {
		return nil, fmt.Errorf("fill the cluster: %w", err)
	}
	progress("%s: cluster filled after %.1f s", s.label, time.Since(begin).Seconds())
	if r.observer, err = startObserver(ctx, on, nil); err != nil {
		return nil, err
	}
	defer r.observer.cancel()
	if err := r.drain(ctx); err != nil {
		return nil, err
	}
	defer r.process.stop()
	if s.schedules && !r.result.TimedOut {
		if err := r.stayOn(ctx); err != nil {
			return nil, err
		}
	}
	r.result.SubjectPeakMiB = max(r.result.SubjectPeakMiB, r.process.usage().peak)
	if empty := r.result.SubjectEmptyMiB; empty > 0 {
		r.result.SubjectGrowthMiB = r.result.SubjectPeakMiB - empty
	}
	found, err := findViolations(ctx, on)
	r.result.Violations = append(r.result.Violations, found...)
	r.result.Violations = append(r.result.Violations, r.observer.twice()...)
	return r.result, err
}

// prepare fills the cluster; before, with --baseline, the subject shows its memory without it.
func (r *run) prepare(ctx context.Context) error {
	if err := r.world.open(ctx); err != nil {
		return err
	}
	if r.params.Baseline && r.subject.schedules {
		process, err := r.subject.start(r.params, r.server, "-empty")
		if err != nil {
			return err
		}
		awaitQuiet(process, patience, neverBusy)
		r.result.SubjectEmptyMiB = process.usage().resident
		process.stop()
		if r.result.SubjectEmptyMiB == 0 {
			return process.failure()
		}
	}
	return r.world.fill(ctx)
}

func neverBusy() bool { return false }

// stayOn measures what a subject does when the queue is empty.
func (r *run) stayOn(ctx context.Context) error {
	var err error
	if r.params.Waiting == 0 {
		if err = r.idle(ctx); err == nil {
			r.result.Singles, err = r.singles(ctx, singlePrefix)
		}
		if err == nil {
			err = r.plainSingles(ctx)
		}
	} else if r.result.Singles, err = r.singles(ctx, singlePrefix); err == nil {
		if err = r.waiting(ctx); err == nil {
			r.noteQuiet(awaitQuiet(r.process, patience, neverBusy))
			err = r.idle(ctx)
		}
	}
	if err != nil {
		return err
	}
	all := []*SingleResult{r.result.Singles, r.result.PlainSingles}
	if r.result.Waiting != nil {
		all = append(all, r.result.Waiting.Singles)
	}
	for _, singles := range all {
		r.result.Violations = append(r.result.Violations, singles.missing()...)
	}
	return nil
}

func (r *run) noteQuiet(isQuiet bool) { r.result.NeverQuiet = r.result.NeverQuiet || !isQuiet }

// drain starts the subject and waits until all pending pods are bound and it has become quiet.
func (r *run) drain(ctx context.Context) error {
	before, err := readWrites(ctx, r.server)
	if err != nil {
		return err
	}
	apiServer, etcd := usageOf(r.server.PIDs["kube-apiserver"]), usageOf(r.server.PIDs["etcd"])
	others, err := r.meetNeighbours()
	if err != nil {
		return err
	}
	begin := time.Now()
	if r.process, err = r.subject.start(r.params, r.server, ""); err != nil {
		return err
	}
	if err = r.bindAll(ctx, apiServer); err == nil {
		err = r.noteNeighbours(others)
	}
	if err != nil {
		r.process.stop()
		if r.standby != nil {
			r.standby.stop()
		}
		return err
	}
	if err := r.noteEvents(ctx); err != nil {
		r.process.stop()
		return err
	}
	r.noteTimes(begin)
	used := r.process.usage()
	r.result.SubjectResidentMiB, r.result.SubjectPeakMiB = used.resident, used.peak
	if n := float64(r.result.Bound) / 1000; n > 0 {
		r.result.SubjectCPUPer1000 = used.cpu / n
		r.result.APIServerCPUPer1000 = (usageOf(r.server.PIDs["kube-apiserver"]).cpu - apiServer.cpu) / n
		r.result.EtcdCPUPer1000 = (usageOf(r.server.PIDs["etcd"]).cpu - etcd.cpu) / n
	}
	after, err := readWrites(ctx, r.server)
	r.result.Writes = after.since(before)
	return err
}

// bindAll waits until the process that was started, or the one that takes its place, has bound all
// pods. That time runs out is noted, not an error.
func (r *run) bindAll(ctx context.Context, apiServer usage) error {
	err := r.startStandby(ctx)
	if err == nil {
		err = r.awaitBound(1)
		r.result.SubjectCPUFirstBind = r.process.usage().cpu
		r.result.APIServerCPUFirstBind = usageOf(r.server.PIDs["kube-apiserver"]).cpu - apiServer.cpu
	}
	if err == nil {
		err = r.killOnce()
	}
	if err == nil {
		err = r.awaitBound(r.params.Pods)
	}
	r.result.TimedOut = errors.Is(err, errTimeout)
	if err == nil || r.result.TimedOut {
		return r.checkAlive()
	}
	return err
}

// noteEvents waits until the subject is quiet and notes when it wrote its last event.
func (r *run) noteEvents(ctx context.Context) error {
	bound := time.Now()
	events, err := startEventTail(ctx, r.server)
	if err != nil {
		return err
	}
	defer events.cancel()
	r.noteQuiet(awaitQuiet(r.process, patience, events.isBusy))
	r.result.EventsAfter, r.result.EventsDoneS, err = events.after(bound)
	return err
}

func (r *run) awaitBound(pods int) error {
	return r.observer.await(r.params.Timeout, r.process.done, func() bool {
		bound, _ := r.observer.count(pendingRole)
		return bound >= pods
	})
}

// startStandby adds a second process as soon as the first one leads, so that it is known which one
// has the lease.
func (r *run) startStandby(ctx context.Context) error {
	if !r.params.Standby {
		return nil
	}
	leases := r.server.core.CoordinationV1().Leases(leaseNamespace)
	for deadline := time.Now().Add(30 * time.Second); ; {
		lease, err := leases.Get(ctx, leaseName, metav1.GetOptions{})
		if err == nil && lease.Spec.HolderIdentity != nil && *lease.Spec.HolderIdentity != "" {
			break
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("nobody took the lease %s/%s: %v", leaseNamespace, leaseName, err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-r.process.done:
			return r.process.failure()
		case <-time.After(5 * time.Millisecond):
		}
	}
	var err error
	r.standby, err = r.subject.start(r.params, r.server, "-standby")
	r.result.Standby = err == nil
	return err
}

// killOnce replaces the process in the middle of its work, as a crash and a restart do; figures of
// CPU and memory are then those of the second process. Where one stands by, it is the second.
func (r *run) killOnce() error {
	if r.params.KillAt == 0 || !r.subject.schedules {
		return nil
	}
	if err := r.awaitBound(r.params.KillAt); err != nil {
		return err
	}
	r.process.kill()
	r.result.KilledAt, _ = r.observer.count(pendingRole)
	if r.standby != nil {
		progress("%s: killed after %d bindings, one stands by", r.subject.label, r.result.KilledAt)
		r.process, r.standby = r.standby, nil
		return nil
	}
	progress("%s: killed after %d bindings, started again", r.subject.label, r.result.KilledAt)
	var err error
	r.process, err = r.subject.start(r.params, r.server, "")
	return err
}

// checkAlive tells a subject that crashed from one that was too slow.
func (r *run) checkAlive() error {
	select {
	case <-r.process.done:
		if r.subject.schedules || r.result.TimedOut {
			return r.process.failure()
		}
	default:
	}
	return nil
}

func (r *run) noteTimes(begin time.Time) {
	times := r.observer.times()
	slices.SortFunc(times, time.Time.Compare)
	n := len(times)
	r.result.Bound = n
	if n == 0 {
		return
	}
	at := func(i int) float64 { return times[i].Sub(begin).Seconds() }
	r.result.FirstBindS, r.result.AllBoundS = at(0), at(n-1)
	r.result.BindsPerS = float64(n) / at(n-1)
	if low, high := n/10, n*9/10; at(high) > at(low) {
		r.result.BindsPerSMid = float64(high-low) / (at(high) - at(low))
	}
	for i := 1; i < n; i++ {
		if gap := at(i) - at(i-1); gap > r.result.LongestGapS {
			r.result.LongestGapS, r.result.LongestGapAtS = gap, at(i-1)
		}
	}
}

// idle watches the subject while nothing changes.
func (r *run) idle(ctx context.Context) error {
	if r.params.Idle == 0 {
		return nil
	}
	before, err := readWrites(ctx, r.server)
	if err != nil {
		return err
	}
	first, begin := r.process.usage(), time.Now()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-r.process.done:
		return r.process.failure()
	case <-time.After(r.params.Idle):
	}
	last, seconds := r.process.usage(), time.Since(begin).Seconds()
	after, err := readWrites(ctx, r.server)
	if err != nil {
		return err
	}
	delta := after.since(before)
	r.result.Idle = &IdleResult{Seconds: seconds, CPUPercent: 100 * (last.cpu - first.cpu) / seconds,
		WritesPerMinute: delta.total() * 60 / seconds, Writes: delta}
	return nil
}

// events are those that were written, anew or as a repetition.
func (r *Result) events() float64 { return r.Writes["POST events"] + r.Writes["PATCH events"] }

// hasAllEvents tells whether the figures cover at least one event for each binding.
func (r *Result) hasAllEvents() bool { return r.events() >= float64(r.Bound) }

// describe names the run for progress messages.
func (r *Result) describe() string {
	text := fmt.Sprintf("%s: %d bound, %.0f/s, CPU %.2f s per 1000",
		r.Column, r.Bound, r.BindsPerS, r.SubjectCPUPer1000)
	if r.Discarded {
		text += " (thrown away)"
	}
	if len(r.Violations) > 0 {
		text += "; VIOLATIONS: " + strings.Join(r.Violations, "; ")
	}
	return text
}
