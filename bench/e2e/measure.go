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
	Subject  string `json:"subject"`
	Repeat   int    `json:"repeat"`
	Nodes    int    `json:"nodes"`
	Pods     int    `json:"pods"`
	Gang     int    `json:"gang"`
	Existing int    `json:"existing"`
	Hopeless int    `json:"hopeless"`

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
	SubjectPeakMiB      float64 `json:"subject_peak_mib"`
	Writes              writes  `json:"writes"`

	KilledAt int  `json:"killed_at,omitempty"` // Bindings seen when the first process was killed.
	Standby  bool `json:"standby,omitempty"`   // Another process stood by and took over.

	Idle    *IdleResult   `json:"idle,omitempty"`
	Singles *SingleResult `json:"singles,omitempty"`

	Violations []string `json:"violations"` // Partly bound gangs, overfull nodes; must be empty.
}

// IdleResult is what the subject does when there is nothing to do.
type IdleResult struct {
	Seconds         float64 `json:"seconds"`
	CPUPercent      float64 `json:"cpu_percent"` // Of one core.
	WritesPerMinute float64 `json:"writes_per_minute"`
	Writes          writes  `json:"writes"`
}

// SingleResult is the latency of pods created one by one, from the request to the binding as seen
// by the watch.
type SingleResult struct {
	Created    int     `json:"created"`
	Bound      int     `json:"bound"`
	P50Ms      float64 `json:"p50_ms"`
	P99Ms      float64 `json:"p99_ms"`
	MaxMs      float64 `json:"max_ms"`
	CPUPercent float64 `json:"cpu_percent"`
	// In order of creation, so that an outlier can be placed.
	Latencies []float64 `json:"latencies_ms"`
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

// measure makes a fresh server, fills it, lets the subject work and reports.
func measure(ctx context.Context, p *Params, name string, repeat int) (*Result, error) {
	on, err := startServer(ctx, p)
	if err != nil {
		return nil, err
	}
	defer on.stop(p.Keep)
	s := newSubject(name, p)
	r := &run{params: p, subject: s, server: on, world: newWorld(p, s, on), result: &Result{
		Subject: name, Repeat: repeat, Nodes: p.Nodes, Pods: p.Pods, Gang: p.Gang, Existing: p.Existing,
		Hopeless: p.Hopeless, Violations: []string{}}}
	begin := time.Now()
	if err := r.world.fill(ctx); err != nil {
		return nil, fmt.Errorf("fill the cluster: %w", err)
	}
	progress("%s: cluster filled after %.1f s", name, time.Since(begin).Seconds())
	if r.observer, err = startObserver(ctx, on, nil); err != nil {
		return nil, err
	}
	defer r.observer.cancel()
	if err := r.drain(ctx); err != nil {
		return nil, err
	}
	defer r.process.stop()
	if s.schedules && !r.result.TimedOut {
		if err := r.idle(ctx); err != nil {
			return nil, err
		}
		if err := r.singles(ctx); err != nil {
			return nil, err
		}
	}
	r.result.SubjectPeakMiB = max(r.result.SubjectPeakMiB, r.process.usage().peak)
	r.result.Violations, err = findViolations(ctx, on)
	r.result.Violations = append(r.result.Violations, r.observer.twice()...)
	return r.result, err
}

// drain starts the subject and waits until all pending pods are bound and it has become quiet.
func (r *run) drain(ctx context.Context) error {
	before, err := readWrites(ctx, r.server)
	if err != nil {
		return err
	}
	apiServer, etcd := usageOf(r.server.PIDs["kube-apiserver"]), usageOf(r.server.PIDs["etcd"])
	begin := time.Now()
	if r.process, err = r.subject.start(r.params, r.server, ""); err != nil {
		return err
	}
	if err = r.startStandby(ctx); err == nil {
		err = r.killOnce()
	}
	if err == nil {
		err = r.awaitBound(r.params.Pods)
	}
	r.result.TimedOut = errors.Is(err, errTimeout)
	if err == nil || r.result.TimedOut {
		err = r.checkAlive()
	}
	if err != nil {
		r.process.stop()
		if r.standby != nil {
			r.standby.stop()
		}
		return err
	}
	awaitQuiet(r.process, 30*time.Second)
	r.noteTimes(begin)
	used := r.process.usage()
	r.result.SubjectPeakMiB = used.peak
	if n := float64(r.result.Bound) / 1000; n > 0 {
		r.result.SubjectCPUPer1000 = used.cpu / n
		r.result.APIServerCPUPer1000 = (usageOf(r.server.PIDs["kube-apiserver"]).cpu - apiServer.cpu) / n
		r.result.EtcdCPUPer1000 = (usageOf(r.server.PIDs["etcd"]).cpu - etcd.cpu) / n
	}
	after, err := readWrites(ctx, r.server)
	r.result.Writes = after.since(before)
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
		progress("%s: killed after %d bindings, one stands by", r.subject.name, r.result.KilledAt)
		r.process, r.standby = r.standby, nil
		return nil
	}
	progress("%s: killed after %d bindings, started again", r.subject.name, r.result.KilledAt)
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

// singles creates pods one by one and waits for each.
func (r *run) singles(ctx context.Context) error {
	if r.params.Singles == 0 {
		return nil
	}
	result := &SingleResult{}
	var latencies []float64
	first, begin := r.process.usage(), time.Now()
	for i := range r.params.Singles {
		latency, err := r.single(ctx, i)
		if err != nil {
			return err
		}
		result.Created++
		if latency > 0 {
			latencies = append(latencies, latency)
			result.Latencies = append(result.Latencies, latency)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(r.params.SingleEvery):
		}
	}
	last := r.process.usage()
	result.CPUPercent = 100 * (last.cpu - first.cpu) / time.Since(begin).Seconds()
	result.Bound = len(latencies)
	slices.Sort(latencies)
	result.P50Ms, result.P99Ms = quantile(latencies, 50), quantile(latencies, 99)
	result.MaxMs = quantile(latencies, 100)
	r.result.Singles = result
	return nil
}

// quantile returns the smallest of the sorted values that at least so many percent of them do not
// exceed (nearest rank), and 0 when there are none.
func quantile(sorted []float64, percent int) float64 {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[max((len(sorted)*percent+99)/100, 1)-1]
}

// single returns the latency of one pod in milliseconds, or 0 when it was not bound in time.
func (r *run) single(ctx context.Context, i int) (float64, error) {
	name := fmt.Sprintf("%s-%06d", singleRole, i)
	if r.subject.gangs {
		if err := r.world.addGroup(ctx, groupName(singleRole, i), 1, false); err != nil {
			return 0, err
		}
	}
	pod := r.world.newPod(singleRole, name, groupName(singleRole, i))
	begin := time.Now()
	if _, err := r.server.core.CoreV1().Pods(namespace).Create(ctx, pod, metav1.CreateOptions{}); err != nil {
		return 0, err
	}
	err := r.observer.await(10*time.Second, r.process.done, func() bool {
		_, ok := r.observer.boundAt(name)
		return ok
	})
	if errors.Is(err, errTimeout) {
		return 0, r.checkAlive()
	}
	at, _ := r.observer.boundAt(name)
	return float64(at.Sub(begin).Microseconds()) / 1000, err
}

// describe names the run for progress messages.
func (r *Result) describe() string {
	text := fmt.Sprintf("%s: %d bound, %.0f/s, CPU %.2f s per 1000",
		r.Subject, r.Bound, r.BindsPerS, r.SubjectCPUPer1000)
	if len(r.Violations) > 0 {
		text += "; VIOLATIONS: " + strings.Join(r.Violations, "; ")
	}
	return text
}
