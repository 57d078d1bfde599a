package main

import (
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func testNode(cpu, pods string) corev1.Node {
	room := corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourcePods: resource.MustParse(pods)}
	return corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}, Status: corev1.NodeStatus{Allocatable: room}}
}

func testPod(name, node, group, cpu string) corev1.Pod {
	return corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: map[string]string{groupAnnotation: group}},
		Spec: corev1.PodSpec{NodeName: node, Containers: []corev1.Container{{
			Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
				corev1.ResourceCPU: resource.MustParse(cpu)}}}}},
	}
}

func TestOverfullIsExact(t *testing.T) {
	one, two := testPod("a", "n", "", "1"), testPod("b", "n", "", "1000m")
	little, pending := testPod("c", "n", "", "1m"), testPod("d", "", "", "1")
	cases := []struct {
		name string
		node corev1.Node
		pods []corev1.Pod
		want []string
	}{
		{"exactly full", testNode("2", "2"), []corev1.Pod{one, two}, []string{}},
		{"one millicore more", testNode("2", "9"), []corev1.Pod{one, two, little},
			[]string{"node n: cpu 2001m used of 2"}},
		{"one pod more", testNode("2", "1"), []corev1.Pod{one, two}, []string{"node n: pods 2 used of 1"}},
		{"pending pods take nothing", testNode("1", "1"), []corev1.Pod{one, pending}, []string{}},
		{"unknown node", testNode("1", "1"), []corev1.Pod{testPod("a", "ghost", "", "1")},
			[]string{"pod a is on node ghost, which does not exist"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := overfull([]corev1.Node{c.node}, c.pods); !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestPartialGangsAreFound(t *testing.T) {
	whole := []corev1.Pod{testPod("a", "n", "g", "1"), testPod("b", "n", "g", "1")}
	waiting := []corev1.Pod{testPod("c", "", "h", "1"), testPod("d", "", "h", "1")}
	if got := partial(append(whole, waiting...)); len(got) != 0 {
		t.Errorf("nothing is wrong, got %q", got)
	}
	half := []corev1.Pod{testPod("a", "n", "g", "1"), testPod("b", "", "g", "1")}
	if got := partial(half); !slices.Equal(got, []string{"gang g: 1 of 2 bound"}) {
		t.Errorf("got %q", got)
	}
}

func TestHopelessPodsMustNotBeBound(t *testing.T) {
	pod := testPod("a", "n", "", "1")
	pod.Labels = map[string]string{roleLabel: hopelessRole}
	if got := impossible([]corev1.Pod{pod, testPod("b", "n", "", "1")}); len(got) != 1 {
		t.Errorf("got %q", got)
	}
}

func TestPodsBoundTwiceAreNamed(t *testing.T) {
	o := &observer{bound: map[string]time.Time{}, nodes: map[string]string{}, roles: map[string]int{},
		wake: make(chan struct{}, 1)}
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p"}}
	for _, node := range []string{"", "n1", "n1"} {
		pod.Spec.NodeName = node
		o.note(pod)
	}
	if len(o.twice()) != 0 {
		t.Errorf("bound once: %v", o.twice())
	}
	pod.Spec.NodeName = "n2"
	o.note(pod)
	if len(o.twice()) != 1 {
		t.Errorf("bound to n1 and n2: %v", o.twice())
	}
}

func TestPodsThatFitNowhereMayNotBeBound(t *testing.T) {
	pods := []corev1.Pod{testPod("a", "n", "", "1"), testPod("b", "n", "", "1"), testPod("c", "", "", "1")}
	for i, role := range []string{waitingRole, hopelessRole, waitingRole} {
		pods[i].Labels = map[string]string{roleLabel: role}
	}
	want := []string{"pod a is on a node, but fits nowhere", "pod b is on a node that its selector forbids"}
	if got := impossible(pods); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}
