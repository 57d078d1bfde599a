package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// eventTail notes the events that are written after it began. It is started after the last binding,
// so that reading events costs the server nothing while bindings are measured.
type eventTail struct {
	cancel context.CancelFunc

	mutex sync.Mutex
	count int
	last  time.Time
	asked int   // The count when isBusy was called last.
	lost  error // Why the watch could not go on.
}

func startEventTail(ctx context.Context, on *server) (*eventTail, error) {
	client := on.core.CoreV1().Events(metav1.NamespaceAll)
	list, err := client.List(ctx, metav1.ListOptions{Limit: 1})
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	w, err := client.Watch(ctx, metav1.ListOptions{ResourceVersion: list.ResourceVersion})
	if err != nil {
		cancel()
		return nil, fmt.Errorf("watch events: %w", err)
	}
	t := &eventTail{cancel: cancel}
	go t.follow(ctx, w)
	return t, nil
}

// follow ends with the watch, which outlives any measurement (the server ends it after half an hour).
func (t *eventTail) follow(ctx context.Context, w watch.Interface) {
	for event := range w.ResultChan() {
		switch event.Type {
		case watch.Added, watch.Modified:
			t.note(time.Now())
		case watch.Error:
			t.fail(fmt.Errorf("watch events: %v", event.Object))
			return
		}
	}
	if ctx.Err() == nil {
		t.fail(fmt.Errorf("watch events: ended by the server"))
	}
}

func (t *eventTail) note(at time.Time) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.count++
	t.last = at
}

func (t *eventTail) fail(err error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.lost = err
}

// isBusy tells whether an event was written since it was asked last.
func (t *eventTail) isBusy() bool {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	more := t.count > t.asked
	t.asked = t.count
	return more
}

// after tells how many events were written and how long after a moment the last one came; 0 seconds
// when there was none.
func (t *eventTail) after(moment time.Time) (count int, seconds float64, err error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if t.count > 0 {
		seconds = max(t.last.Sub(moment).Seconds(), 0)
	}
	return t.count, seconds, t.lost
}
