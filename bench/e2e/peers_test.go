package main

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestMisplacedGangsAreFound(t *testing.T) {
	nodes := []corev1.Node{}
	for i := range 6 {
		nodes = append(nodes, corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: nodeName(i),
			Labels: map[string]string{corev1.LabelTopologyZone: fmt.Sprintf("zone-%d", i%3)}}})
	}
	for name, c := range map[string]struct {
		asked    subject
		places   []int
		findings int
	}{
		"a host each":                      {subject{antiAffinity: true}, []int{0, 1, 2, 3}, 0},
		"two on one host":                  {subject{antiAffinity: true}, []int{0, 1, 1, 3}, 1},
		"that matters only to those asked": {subject{}, []int{0, 0, 0, 0}, 0},
		"one zone ahead":                   {subject{spread: true}, []int{0, 1, 2, 3}, 0},
		"one zone empty":                   {subject{spread: true}, []int{0, 1, 3, 4}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			pods := []corev1.Pod{}
			for i, place := range c.places {
				pod := corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("p", i), Labels: map[string]string{}}}
				c.asked.askForPeers(&pod, "g")
				pod.Spec.NodeName = nodeName(place)
				pods = append(pods, pod)
			}
			if found := misplaced(nodes, pods); len(found) != c.findings {
				t.Errorf("found %q, expected %d", found, c.findings)
			}
		})
	}
}
