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

// fill creates everything that is there before the subject starts.
func (w *world) fill(ctx context.Context) error {
	space := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}
	if _, err := w.server.core.CoreV1().Namespaces().Create(ctx, space, metav1.CreateOptions{}); err != nil {
		return err
	}
	if err := w.addNodes(ctx); err != nil {
		return fmt.Errorf("create nodes: %w", err)
	}
	if w.subject.gangs {
		if err := w.server.installDefinitions(ctx, w.params.CRDs); err != nil {
			return err
		}
		if err := w.openQueue(ctx); err != nil {
			return fmt.Errorf("create the default queue: %w", err)
		}
	}
	for _, part := range []struct {
		role string
		pods int
	}{{existingRole, w.params.Existing}, {hopelessRole, w.params.Hopeless}, {pendingRole, w.params.Pods}} {
		if err := w.addPods(ctx, part.role, part.pods); err != nil {
			return fmt.Errorf("create %s pods: %w", part.role, err)
		}
	}
	return nil
}

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

// addPods creates pods of one role, with their groups where the subject knows groups.
func (w *world) addPods(ctx context.Context, role string, count int) error {
	if w.subject.gangs {
		groups := (count + w.params.Gang - 1) / w.params.Gang
		if err := inParallel(groups, func(i int) error {
			size := min(w.params.Gang, count-i*w.params.Gang)
			return w.addGroup(ctx, groupName(role, i), size, role == existingRole)
		}); err != nil {
			return err
		}
	}
	return inParallel(count, func(i int) error {
		pod := w.newPod(role, fmt.Sprintf("%s-%06d", role, i), groupName(role, i/w.params.Gang))
		if role == pendingRole {
			w.params.askForPeers(pod, groupName(role, i/w.params.Gang))
		}
		switch role {
		case hopelessRole:
			pod.Spec.NodeSelector = map[string]string{"no-node-has": "this-label"}
		case existingRole:
			pod.Spec.NodeName = nodeName(i % w.params.Nodes)
		}
		made, err := w.server.core.CoreV1().Pods(namespace).Create(ctx, pod, metav1.CreateOptions{})
		if err != nil || role != existingRole {
			return err
		}
		made.Status.Phase = corev1.PodRunning
		_, err = w.server.core.CoreV1().Pods(namespace).UpdateStatus(ctx, made, metav1.UpdateOptions{})
		return err
	})
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
				Resources: corev1.ResourceRequirements{Requests: w.podRoom}}},
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
