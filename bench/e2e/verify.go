package main

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// findViolations reads the cluster anew and says what no scheduler may leave behind: partly bound
// gangs, nodes over their allocatable room, and pods where they may not be.
func findViolations(ctx context.Context, on *server) ([]string, error) {
	nodes, err := on.core.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	pods, err := on.core.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	found := slices.Concat(overfull(nodes.Items, pods.Items), partial(pods.Items),
		impossible(pods.Items), misplaced(nodes.Items, pods.Items))
	if found == nil {
		found = []string{} // In JSON a list, not null.
	}
	slices.Sort(found)
	return found, nil
}

// overfull compares exact quantities; every pod also counts as one of the resource "pods".
func overfull(nodes []corev1.Node, pods []corev1.Pod) []string {
	found := []string{}
	used := map[string]corev1.ResourceList{}
	for _, node := range nodes {
		used[node.Name] = corev1.ResourceList{}
	}
	for _, pod := range pods {
		if pod.Spec.NodeName == "" {
			continue
		}
		sums, exists := used[pod.Spec.NodeName]
		if !exists {
			found = append(found, fmt.Sprintf("pod %s is on node %s, which does not exist",
				pod.Name, pod.Spec.NodeName))
			continue
		}
		add(sums, corev1.ResourceList{corev1.ResourcePods: *resource.NewQuantity(1, resource.DecimalSI)})
		for _, container := range pod.Spec.Containers {
			add(sums, container.Resources.Requests)
		}
	}
	for _, node := range nodes {
		for name, sum := range used[node.Name] {
			room := node.Status.Allocatable[name]
			if sum.Cmp(room) > 0 {
				found = append(found, fmt.Sprintf("node %s: %s %s used of %s",
					node.Name, name, sum.String(), room.String()))
			}
		}
	}
	return found
}

func add(sums, more corev1.ResourceList) {
	for name, quantity := range more {
		sum := sums[name]
		sum.Add(quantity)
		sums[name] = sum
	}
}

// partial finds gangs of which some pods are bound and some not; in the bench every member counts.
func partial(pods []corev1.Pod) []string {
	total, bound := map[string]int{}, map[string]int{}
	for _, pod := range pods {
		if group := pod.Annotations[groupAnnotation]; group != "" {
			total[group]++
			if pod.Spec.NodeName != "" {
				bound[group]++
			}
		}
	}
	found := []string{}
	for group, n := range bound {
		if n < total[group] {
			found = append(found, fmt.Sprintf("gang %s: %d of %d bound", group, n, total[group]))
		}
	}
	return found
}

// impossible finds hopeless and waiting pods that were bound all the same.
func impossible(pods []corev1.Pod) []string {
	found := []string{}
	for _, pod := range pods {
		if pod.Spec.NodeName == "" {
			continue
		}
		switch pod.Labels[roleLabel] {
		case hopelessRole:
			found = append(found, fmt.Sprintf("pod %s is on a node that its selector forbids", pod.Name))
		case waitingRole:
			found = append(found, fmt.Sprintf("pod %s is on a node, but fits nowhere", pod.Name))
		}
	}
	return found
}
