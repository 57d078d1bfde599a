package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

// More pods than goroutines, each of which is slow to be set: none may start early or twice.
func TestEachPodRunsOnceAndNotBeforeItIsDue(t *testing.T) {
	const pods, delay = 3 * kubeletsAtOnce, 50 * time.Millisecond
	var mutex sync.Mutex
	ran := map[string]time.Time{}
	k := startKubelets(t.Context(), pods, delay, func(_ context.Context, pod string) error {
		now := time.Now()
		time.Sleep(time.Millisecond)
		mutex.Lock()
		defer mutex.Unlock()
		if _, again := ran[pod]; again {
			return errors.New("again")
		}
		ran[pod] = now
		return nil
	})
	bound := map[string]time.Time{}
	for i := range pods {
		name := fmt.Sprint(i)
		bound[name] = time.Now()
		k.bound(name, bound[name])
	}
	if err := k.await(t.Context(), time.Minute); err != nil {
		t.Fatal(err)
	}
	for name, at := range bound {
		if waited := ran[name].Sub(at); waited < delay {
			t.Errorf("pod %s ran %v after it was bound", name, waited)
		}
	}
	if median, most := k.lateness(); median < 0.001 || most < median {
		t.Errorf("late by %v, %v seconds; setting one takes a millisecond", median, most)
	}
}

func TestPodsThatDoNotRunAreReported(t *testing.T) {
	refuse := func(context.Context, string) error { return errors.New("not found") }
	k := startKubelets(t.Context(), 2, 0, refuse)
	k.bound("a", time.Now())
	if err := k.await(t.Context(), time.Minute); err == nil || err.Error() != "set pod a Running: not found" {
		t.Errorf("got %v", err)
	}
	k = startKubelets(t.Context(), 2, 0, func(context.Context, string) error { return nil })
	k.bound("a", time.Now())
	if err := k.await(t.Context(), 50*time.Millisecond); err == nil || !strings.Contains(err.Error(), "only 1 of 2") {
		t.Errorf("got %v", err)
	}
	k = startKubelets(t.Context(), 1, time.Hour, refuse)
	for _, pod := range []string{"a", "b", "c"} { // One in the queue, one asleep, one too many.
		k.bound(pod, time.Now())
	}
	if err := k.await(t.Context(), time.Minute); err == nil || !strings.Contains(err.Error(), "no more") {
		t.Errorf("got %v", err)
	}
}
