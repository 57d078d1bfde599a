package main

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

func TestTheLastEventIsTimedFromTheLastBinding(t *testing.T) {
	tail, bound := &eventTail{}, time.Unix(100, 0)
	if count, seconds, err := tail.after(bound); count != 0 || seconds != 0 || err != nil {
		t.Errorf("no event: got %d, %g, %v", count, seconds, err)
	}
	tail.note(bound.Add(time.Second))
	tail.note(bound.Add(2500 * time.Millisecond))
	if count, seconds, _ := tail.after(bound); count != 2 || seconds != 2.5 {
		t.Errorf("got %d, %g", count, seconds)
	}
	if !tail.isBusy() || tail.isBusy() {
		t.Error("busy means: news since it was asked last")
	}
}

func TestNewAndRepeatedEventsCountAndDeletedOnesDoNot(t *testing.T) {
	tail, w := &eventTail{}, watch.NewFake()
	done := make(chan struct{})
	go func() {
		tail.follow(t.Context(), w)
		close(done)
	}()
	w.Add(&corev1.Event{})
	w.Modify(&corev1.Event{})
	w.Delete(&corev1.Event{})
	w.Error(&metav1.Status{Message: "too old"})
	<-done
	if count, _, err := tail.after(time.Now()); count != 2 || err == nil || !strings.Contains(err.Error(), "too old") {
		t.Errorf("got %d, %v", count, err)
	}
}

func TestAWatchOfEventsThatEndsByItselfIsAnError(t *testing.T) {
	for _, isOurs := range []bool{false, true} {
		ctx, cancel := context.WithCancelCause(t.Context())
		if isOurs {
			cancel(errors.New("enough"))
		}
		tail, w := &eventTail{}, watch.NewFake()
		w.Stop()
		tail.follow(ctx, w)
		if _, _, err := tail.after(time.Now()); (err == nil) != isOurs {
			t.Errorf("cancelled by us: %v, got %v", isOurs, err)
		}
		cancel(nil)
	}
}
