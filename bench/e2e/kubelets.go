package main

import (
	"context"
	"fmt"
	"net"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

const (
	// kubeletUser is who writes the phases of pods; nobody else uses that name.
	kubeletUser = "nodes"
	// kubeletsAtOnce is how many pods are being set Running at one time.
	kubeletsAtOnce = 64
)

// kubelets set each pod Running a while after it was seen bound. One of them serves one shape of
// jobs; its goroutines end with the context.
type kubelets struct {
	setRunning func(ctx context.Context, pod string) error
	delay      time.Duration
	want       int
	queue      chan podStart // In the order in which they are due; has room for all that are wanted.
	all        chan struct{} // Closed when all run.
	failed     chan error    // Holds the first failure.

	mutex sync.Mutex
	late  []float64 // For each pod that runs: seconds between when it was due and the server's answer.
}

type podStart struct {
	pod string
	due time.Time
}

func startKubelets(ctx context.Context, want int, delay time.Duration,
	setRunning func(ctx context.Context, pod string) error) *kubelets {
	k := &kubelets{setRunning: setRunning, delay: delay, want: want, queue: make(chan podStart, want),
		all: make(chan struct{}), failed: make(chan error, 1)}
	for range min(want, kubeletsAtOnce) {
		go k.work(ctx)
	}
	return k
}

// bound is told of each pod once, by the goroutine that reads the watch; it never waits.
func (k *kubelets) bound(pod string, at time.Time) {
	select {
	case k.queue <- podStart{pod, at.Add(k.delay)}:
	default:
		k.fail(fmt.Errorf("pod %s was bound while %d others wait for their start: there should be no more",
			pod, k.want))
	}
}

// work takes pods in turn. All have the same delay, so whoever sleeps keeps no pod waiting that is
// due before his own.
func (k *kubelets) work(ctx context.Context) {
	for {
		var next podStart
		select {
		case <-ctx.Done():
			return
		case next = <-k.queue:
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Until(next.due)):
		}
		if err := k.setRunning(ctx, next.pod); err != nil {
			k.fail(fmt.Errorf("set pod %s Running: %w", next.pod, err))
			return
		}
		k.started(time.Since(next.due))
	}
}

func (k *kubelets) started(late time.Duration) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	k.late = append(k.late, late.Seconds())
	if len(k.late) == k.want {
		close(k.all)
	}
}

func (k *kubelets) fail(err error) {
	select {
	case k.failed <- err:
	default: // One is enough.
	}
}

// await returns when all pods run.
func (k *kubelets) await(ctx context.Context, within time.Duration) error {
	select {
	case <-k.all:
		return nil
	case err := <-k.failed:
		return err
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(within):
		k.mutex.Lock()
		defer k.mutex.Unlock()
		return fmt.Errorf("only %d of %d pods run after %v", len(k.late), k.want, within)
	}
}

// lateness tells how far the bench itself lagged behind: the median and the largest, in seconds.
func (k *kubelets) lateness() (median, most float64) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	sorted := slices.Sorted(slices.Values(k.late))
	return quantile(sorted, 50), quantile(sorted, 100)
}

// newKubeletClient has a connection of its own, so that it does not wait behind the watch.
func newKubeletClient(on *server) (kubernetes.Interface, error) {
	config, err := clientcmd.BuildConfigFromFlags("", on.Kubeconfigs[kubeletUser])
	if err != nil {
		return nil, err
	}
	config = rest.CopyConfig(config)
	config.QPS = -1
	config.ContentType = "application/vnd.kubernetes.protobuf"
	config.Dial = (&net.Dialer{Timeout: 10 * time.Second}).DialContext // Unshared: no cached transport.
	return kubernetes.NewForConfig(config)
}

// setPhase writes what a kubelet writes of a pod that starts or ends, as far as anybody here reads it.
func setPhase(ctx context.Context, client kubernetes.Interface, pod string, phase corev1.PodPhase) error {
	patch := fmt.Appendf(nil, `{"status":{"phase":%q}}`, phase)
	_, err := client.CoreV1().Pods(namespace).Patch(ctx, pod, types.MergePatchType, patch,
		metav1.PatchOptions{}, "status")
	return err
}
