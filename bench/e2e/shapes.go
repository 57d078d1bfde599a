package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// jobShape is how many batch jobs there are and how many pods each of them has.
type jobShape struct{ jobs, podsPerJob int }

func (s jobShape) pods() int      { return s.jobs * s.podsPerJob }
func (s jobShape) String() string { return fmt.Sprintf("%dx%d", s.jobs, s.podsPerJob) }

// podsPerRunMax keeps the audit log of one run, which lies in memory, below some 100 MB.
const podsPerRunMax = 20_000

// parseShapes reads "2000x1,100x20".
func parseShapes(text string) ([]jobShape, error) {
	var shapes []jobShape
	for _, part := range strings.Split(text, ",") {
		left, right, _ := strings.Cut(part, "x")
		jobs, err := strconv.Atoi(left)
		podsPerJob, err2 := strconv.Atoi(right)
		if err != nil || err2 != nil || jobs < 1 || podsPerJob < 1 {
			return nil, fmt.Errorf("%q: want JOBSxPODS, such as 100x20", part)
		}
		if jobs > podsPerRunMax || podsPerJob > podsPerRunMax/jobs {
			return nil, fmt.Errorf("%q: more than %d pods in one run", part, podsPerRunMax)
		}
		shapes = append(shapes, jobShape{jobs, podsPerJob})
	}
	return shapes, nil
}

// checkShapes refuses what a run with batch jobs does not do.
func (p *Params) checkShapes() error {
	if len(p.Shapes) == 0 {
		if p.Finish || p.HoldPods || p.podStartGiven {
			return errors.New("--finish, --pod-start and --hold-pods need --jobs")
		}
		return nil
	}
	if p.KillAt != 0 || p.Standby || p.Singles != 0 || p.Idle != 0 || p.Hopeless != 0 ||
		p.Waiting != 0 || p.AntiAffinity || p.Spread || p.Baseline || p.Custom != "" {
		return errors.New("--jobs: of the other parameters only those of size, --existing, " +
			"--repeat, --timeout and the paths apply")
	}
	if p.ManagerQPS < 1 {
		return errors.New("--manager-qps must be at least 1")
	}
	if p.HoldPods && p.podStartGiven {
		return errors.New("--hold-pods and --pod-start exclude each other: held pods run when all are bound")
	}
	if p.PodStart < 0 || p.PodStart > p.Timeout {
		return fmt.Errorf("--pod-start %v: must be at least 0 (run as soon as seen bound) and at most "+
			"--timeout (%v); --hold-pods lets none run before all are bound", p.PodStart, p.Timeout)
	}
	return nil
}
