package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// SingleResult is the latency of pods created one by one: from the first request for it, which is
// that for its PodGroup where the subject knows groups, to the binding as seen by the watch. The
// group is created without a phase, so that admitting it is part of the latency.
type SingleResult struct {
	Created int     `json:"created"`
	Bound   int     `json:"bound"` // Fewer are a violation.
	P50Ms   float64 `json:"p50_ms"`
	P99Ms   float64 `json:"p99_ms"`
	MaxMs   float64 `json:"max_ms"`
	// The same from the request for the pod alone: what is left when the group was there before.
	FromPodP50Ms float64 `json:"from_pod_p50_ms"`
	FromPodP99Ms float64 `json:"from_pod_p99_ms"`
	CPUPercent   float64 `json:"cpu_percent"`
	// In order of creation, so that an outlier can be placed.
	Latencies []float64 `json:"latencies_ms"`
}

// singlePatience is how long one pod may take.
const singlePatience = 10 * time.Second

// Prefixes of the names of single pods.
const (
	singlePrefix = "single"
	besidePrefix = "beside" // Beside waiting gangs.
	plainPrefix  = "plain"  // Without a PodGroup of their own making.
)

const managerProgram = "vc-controller-manager"

// plainSingles measures pods that come without a PodGroup: vc-controller-manager makes one for each,
// and the latency is that of both daemons, from the request for the pod.
func (r *run) plainSingles(ctx context.Context) error {
	if !r.params.PlainSingles || r.subject.name != "vc-scheduler" {
		return nil
	}
	argv := append([]string{filepath.Join(r.params.Bin, managerProgram),
		"--kubeconfig", r.server.Kubeconfigs["controllers"], "--leader-elect=false"}, r.params.managerFlags()...)
	manager, err := startHealthy(ctx, r.server, managerProgram, argv)
	if manager != nil {
		defer manager.stop()
	}
	if err != nil {
		return err
	}
	awaitQuiet(manager, patience, neverBusy)
	r.result.PlainSingles, err = r.singles(ctx, plainPrefix)
	return err
}

// singles creates pods one by one and waits for each. Their names begin with the prefix.
func (r *run) singles(ctx context.Context, prefix string) (*SingleResult, error) {
	if r.params.Singles == 0 {
		return nil, nil
	}
	result := &SingleResult{}
	var fromPod []float64
	first, begin := r.process.usage(), time.Now()
	for i := range r.params.Singles {
		whole, ofPod, err := r.single(ctx, prefix, i)
		if err != nil {
			return nil, err
		}
		result.Created++
		if whole > 0 {
			result.Latencies, fromPod = append(result.Latencies, whole), append(fromPod, ofPod)
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(r.params.SingleEvery):
		}
	}
	last := r.process.usage()
	result.CPUPercent = 100 * (last.cpu - first.cpu) / time.Since(begin).Seconds()
	result.summarize(fromPod)
	return result, nil
}

func (s *SingleResult) summarize(fromPod []float64) {
	sorted := slices.Sorted(slices.Values(s.Latencies))
	slices.Sort(fromPod)
	s.Bound = len(sorted)
	s.P50Ms, s.P99Ms, s.MaxMs = quantile(sorted, 50), quantile(sorted, 99), quantile(sorted, 100)
	s.FromPodP50Ms, s.FromPodP99Ms = quantile(fromPod, 50), quantile(fromPod, 99)
}

// missing says how many pods were not bound in time: no quantile knows of them.
func (s *SingleResult) missing() []string {
	if s == nil || s.Bound == s.Created {
		return nil
	}
	return []string{fmt.Sprintf("%d of %d single pods were not bound within %v",
		s.Created-s.Bound, s.Created, singlePatience)}
}

// quantile returns the smallest of the sorted values that at least so many percent of them do not
// exceed (nearest rank), and 0 when there are none.
func quantile(sorted []float64, percent int) float64 {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[max((len(sorted)*percent+99)/100, 1)-1]
}

// single returns the latencies of one pod in milliseconds, from the first request and from that for
// the pod; 0 when it was not bound in time.
func (r *run) single(ctx context.Context, prefix string, i int) (whole, ofPod float64, err error) {
	name, group := fmt.Sprintf("%s-%06d", prefix, i), groupName(prefix, i)
	pod := r.world.newPod(singleRole, name, group)
	begin := time.Now()
	if prefix == plainPrefix {
		delete(pod.Annotations, groupAnnotation)
	} else if r.subject.gangs {
		if err := r.world.addGroup(ctx, group, 1, false); err != nil {
			return 0, 0, err
		}
	}
	podBegin := time.Now()
	if _, err := r.server.core.CoreV1().Pods(namespace).Create(ctx, pod, metav1.CreateOptions{}); err != nil {
		return 0, 0, err
	}
	err = r.observer.await(singlePatience, r.process.done, func() bool {
		_, ok := r.observer.boundAt(name)
		return ok
	})
	if errors.Is(err, errTimeout) {
		return 0, 0, r.checkAlive()
	}
	at, _ := r.observer.boundAt(name)
	return milliseconds(at.Sub(begin)), milliseconds(at.Sub(podBegin)), err
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
