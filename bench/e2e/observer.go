package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// observer follows all pods and notes when each was first seen on a node.
type observer struct {
	server *server
	cancel context.CancelFunc
	wake   chan struct{} // Told after each new binding; holds at most one signal.
	// onBound, when there is one, is told of each pod that was bound. It must not wait.
	onBound func(pod string, at time.Time)

	mutex sync.Mutex
	bound map[string]time.Time // By the name of the pod.
	nodes map[string]string    // Where each was seen first.
	moved []string             // Pods that were seen on another node later.
	roles map[string]int       // How many of each role are bound.
	lost  error                // Why the watch could not go on.
}

// startObserver begins with the present moment; existing pods are not counted. onBound may be nil.
func startObserver(ctx context.Context, on *server, onBound func(pod string, at time.Time)) (*observer, error) {
	list, err := on.core.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{Limit: 1})
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	o := &observer{server: on, cancel: cancel, wake: make(chan struct{}, 1), onBound: onBound,
		bound: map[string]time.Time{}, nodes: map[string]string{}, roles: map[string]int{}}
	go o.follow(ctx, list.ResourceVersion)
	return o, nil
}

// follow reads watches one after the other; each goes on where the one before ended.
func (o *observer) follow(ctx context.Context, version string) {
	for ctx.Err() == nil {
		w, err := o.server.core.CoreV1().Pods(namespace).Watch(ctx, metav1.ListOptions{ResourceVersion: version})
		if err != nil {
			o.fail(fmt.Errorf("watch pods: %w", err))
			return
		}
		for event := range w.ResultChan() {
			pod, ok := event.Object.(*corev1.Pod)
			if !ok || event.Type == watch.Error {
				o.fail(fmt.Errorf("watch pods: %v", event.Object))
				return
			}
			version = pod.ResourceVersion
			o.note(pod)
		}
	}
}

func (o *observer) note(pod *corev1.Pod) {
	role := pod.Labels[roleLabel]
	if pod.Spec.NodeName == "" || runsAlready(role) {
		return
	}
	o.mutex.Lock()
	defer o.mutex.Unlock()
	if first, known := o.nodes[pod.Name]; known {
		if first != pod.Spec.NodeName {
			o.moved = append(o.moved,
				fmt.Sprintf("pod %s was bound to %s, then to %s", pod.Name, first, pod.Spec.NodeName))
		}
		return
	}
	now := time.Now()
	o.bound[pod.Name], o.nodes[pod.Name] = now, pod.Spec.NodeName
	o.roles[role]++
	if o.onBound != nil {
		o.onBound(pod.Name, now)
	}
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

func (o *observer) fail(err error) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	o.lost = err
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// count returns how many pods of a role are bound.
func (o *observer) count(role string) (int, error) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	return o.roles[role], o.lost
}

// twice names the pods that were bound more than once.
func (o *observer) twice() []string {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	return slices.Clone(o.moved)
}

func (o *observer) boundAt(name string) (time.Time, bool) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	at, ok := o.bound[name]
	return at, ok
}

// times returns when each pod that waited was bound, in no order.
func (o *observer) times() []time.Time {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	times := make([]time.Time, 0, len(o.bound))
	for _, at := range o.bound {
		times = append(times, at)
	}
	return times
}

var errTimeout = errors.New("timeout")

// await waits until the condition holds; it is asked again after every binding.
func (o *observer) await(within time.Duration, ended <-chan struct{}, condition func() bool) error {
	deadline := time.After(within)
	for !condition() {
		select {
		case <-o.wake:
			if _, err := o.count(""); err != nil {
				return err
			}
		case <-ended:
			ended = nil // What was written before the end may still be on its way to us.
			deadline = time.After(min(within, 5*time.Second))
		case <-deadline:
			return errTimeout
		}
	}
	return nil
}
