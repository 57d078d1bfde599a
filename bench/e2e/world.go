package main

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

const (
	namespace       = "bench"
	groupAnnotation = "scheduling.k8s.io/group-name"
	// roleLabel tells what a pod is there for.
	roleLabel    = "bench-role"
	pendingRole  = "pending"
	existingRole = "existing"
	hopelessRole = "hopeless"
	singleRole   = "single"
	waitingRole  = "waiting" // Gangs that fit nowhere, created while single pods are measured.
	fillerRole   = "filler"  // Take so much of each node that waiting gangs do not fit.
	// writers is how many requests are under way while the cluster is being filled.
	writers = 16
)

// world fills a cluster for one subject.
type world struct {
	params  *Params
	subject subject
	server  *server
	podRoom corev1.ResourceList
}

func newWorld(p *Params, s subject, on *server) *world {
	return &world{params: p, subject: s, server: on, podRoom: corev1.ResourceList{
		corev1.ResourceCPU:    resource.MustParse(p.PodCPU),
		corev1.ResourceMemory: resource.MustParse(p.PodMemory),
	}}
}

// open creates what is there before the first node: the server is then empty, but ready for subjects.
func (w *world) open(ctx context.Context) error {
	space := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}
	if _, err := w.server.core.CoreV1().Namespaces().Create(ctx, space, metav1.CreateOptions{}); err != nil {
		return err
	}
	if !w.subject.gangs {
		return nil
	}
	if err := w.server.installDefinitions(ctx, w.params.CRDs); err != nil {
		return err
	}
	if err := w.openQueue(ctx); err != nil {
		return fmt.Errorf("create the default queue: %w", err)
	}
	return nil
}

// fill creates everything else that is there before the subject starts.
func (w *world) fill(ctx context.Context) error {
	if err := w.addNodes(ctx); err != nil {
		return fmt.Errorf("create nodes: %w", err)
	}
	batches := []batch{{existingRole, w.params.Existing, w.params.Gang},
		{hopelessRole, w.params.Hopeless, w.params.Gang}, {pendingRole, w.params.Pods, w.params.Gang}}
	if w.params.fills() {
		batches = append([]batch{{fillerRole, w.params.Nodes, 1}}, batches...)
	}
	for _, b := range batches {
		if err := w.addPods(ctx, b); err != nil {
			return fmt.Errorf("create %s pods: %w", b.role, err)
		}
	}
	return nil
}

// batch is many pods of one role.
type batch struct {
	role       string
	pods, gang int // gang: how many share a group.
}

func runsAlready(role string) bool { return role == existingRole || role == fillerRole }

func nodeName(i int) string { return fmt.Sprintf("node-%05d", i) }

func (w *world) addNodes(ctx context.Context) error {
	room := corev1.ResourceList{
		corev1.ResourceCPU:    resource.MustParse(w.params.NodeCPU),
		corev1.ResourceMemory: resource.MustParse(w.params.NodeMemory),
		corev1.ResourcePods:   *resource.NewQuantity(int64(w.params.NodePods), resource.DecimalSI),
	}
	nodes := w.server.core.CoreV1().Nodes()
	return inParallel(w.params.Nodes, func(i int) error {
		node := &corev1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: nodeName(i), Labels: map[string]string{
				corev1.LabelHostname:     nodeName(i),
				corev1.LabelTopologyZone: fmt.Sprintf("zone-%d", i%3),
			}},
			Status: corev1.NodeStatus{Capacity: room, Allocatable: room, Conditions: []corev1.NodeCondition{
				{Type: corev1.NodeReady, Status: corev1.ConditionTrue, Reason: "KubeletReady"}}},
		}
		made, err := nodes.Create(ctx, node, metav1.CreateOptions{})
		if err != nil || len(made.Spec.Taints) == 0 {
			return err
		}
		// The server taints new nodes until somebody vouches for them.
		patch := []byte(`{"spec":{"taints":null}}`)
		_, err = nodes.Patch(ctx, node.Name, types.MergePatchType, patch, metav1.PatchOptions{})
		return err
	})
}

// openQueue does what the queue controller would do.
func (w *world) openQueue(ctx context.Context) error {
	queue := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "Queue",
		"metadata": map[string]any{"name": "default"},
		"spec":     map[string]any{"weight": int64(1), "reclaimable": true}}}
	client := w.server.dynamic.Resource(queues)
	_, err := client.Create(ctx, queue, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return err
	}
	patch := []byte(`{"status":{"state":"Open"}}`)
	_, err = client.Patch(ctx, "default", types.MergePatchType, patch, metav1.PatchOptions{}, "status")
	return err
}

// addPods creates the pods of a batch, with their groups where the subject knows groups.
func (w *world) addPods(ctx context.Context, b batch) error {
	if w.subject.gangs {
		groups := (b.pods + b.gang - 1) / b.gang
		if err := inParallel(groups, func(i int) error {
			size := min(b.gang, b.pods-i*b.gang)
			return w.addGroup(ctx, groupName(b.role, i), size, runsAlready(b.role))
		}); err != nil {
			return err
		}
	}
	return inParallel(b.pods, func(i int) error { return w.addPod(ctx, b, i) })
}

func (w *world) addPod(ctx context.Context, b batch, i int) error {
	group := groupName(b.role, i/b.gang)
	pod := w.newPod(b.role, fmt.Sprintf("%s-%06d", b.role, i), group)
	requests := pod.Spec.Containers[0].Resources.Requests
	switch b.role {
	case pendingRole:
		w.subject.askForPeers(pod, group)
	case hopelessRole:
		pod.Spec.NodeSelector = map[string]string{"no-node-has": "this-label"}
	case waitingRole:
		requests[corev1.ResourceCPU] = w.params.waitingCPU()
	case fillerRole:
		requests[corev1.ResourceCPU] = w.params.fillerCPU()
	}
	if runsAlready(b.role) {
		pod.Spec.NodeName = nodeName(i % w.params.Nodes)
	}
	made, err := w.server.core.CoreV1().Pods(namespace).Create(ctx, pod, metav1.CreateOptions{})
	if err != nil || !runsAlready(b.role) {
		return err
	}
	made.Status.Phase = corev1.PodRunning
	_, err = w.server.core.CoreV1().Pods(namespace).UpdateStatus(ctx, made, metav1.UpdateOptions{})
	return err
}

func groupName(role string, i int) string { return fmt.Sprintf("%s-group-%05d", role, i) }

func (w *world) addGroup(ctx context.Context, name string, size int, isRunning bool) error {
	object := map[string]any{
		"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "PodGroup",
		"metadata": map[string]any{"name": name, "namespace": namespace},
		"spec":     map[string]any{"minMember": int64(size), "queue": "default"}}
	if isRunning { // The kind has no status subresource: the status is written with the rest.
		object["status"] = map[string]any{"phase": "Running", "running": int64(size)}
	}
	_, err := w.server.dynamic.Resource(podGroups).Namespace(namespace).
		Create(ctx, &unstructured.Unstructured{Object: object}, metav1.CreateOptions{})
	return err
}

func (w *world) newPod(role, name, group string) *corev1.Pod {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace, Labels: map[string]string{roleLabel: role}},
		Spec: corev1.PodSpec{
			SchedulerName: w.subject.schedulerName,
			RestartPolicy: corev1.RestartPolicyNever,
			Containers: []corev1.Container{{Name: "main", Image: "example.invalid/app:1",
				Resources: corev1.ResourceRequirements{Requests: w.podRoom.DeepCopy()}}},
		},
	}
	if w.subject.gangs {
		pod.Annotations = map[string]string{groupAnnotation: group}
	}
	return pod
}

// inParallel calls f for 0 … n-1 with a fixed number of workers; the first error ends it.
func inParallel(n int, f func(i int) error) error {
	var next atomic.Int64
	var failed atomic.Pointer[error]
	var group sync.WaitGroup
	for range min(n, writers) {
		group.Go(func() {
			for failed.Load() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				if err := f(i); err != nil {
					failed.CompareAndSwap(nil, &err)
				}
			}
		})
	}
	group.Wait()
	if err := failed.Load(); err != nil {
		return *err
	}
	return nil
}
