package main

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// gangLabel tells the pods of a gang from others, for terms about them.
const gangLabel = "bench-gang"

// askForPeers makes the pods of a gang avoid each other, or spread, where that is measured.
func (s subject) askForPeers(pod *corev1.Pod, gang string) {
	if !s.antiAffinity && !s.spread {
		return
	}
	pod.Labels[gangLabel] = gang
	own := &metav1.LabelSelector{MatchLabels: map[string]string{gangLabel: gang}}
	if s.antiAffinity {
		pod.Spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{
				{LabelSelector: own, TopologyKey: corev1.LabelHostname}}}}
	}
	if s.spread {
		pod.Spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{
			{MaxSkew: 1, TopologyKey: corev1.LabelTopologyZone,
				WhenUnsatisfiable: corev1.DoNotSchedule, LabelSelector: own},
			{MaxSkew: 1, TopologyKey: corev1.LabelHostname,
				WhenUnsatisfiable: corev1.ScheduleAnyway, LabelSelector: own},
		}
	}
}

// misplaced finds gangs of which two pods share a host though they avoid each other, and gangs that
// are spread over zones with more than the allowed skew.
func misplaced(nodes []corev1.Node, pods []corev1.Pod) []string {
	found := []string{}
	zoneOf, zones := map[string]string{}, map[string]bool{}
	for _, node := range nodes {
		zone := node.Labels[corev1.LabelTopologyZone]
		zoneOf[node.Name], zones[zone] = zone, true
	}
	hosts := map[string]string{}
	byZone := map[string]map[string]int{}
	for _, pod := range pods {
		gang := pod.Labels[gangLabel]
		if gang == "" || pod.Spec.NodeName == "" {
			continue
		}
		if affinity := pod.Spec.Affinity; affinity != nil && affinity.PodAntiAffinity != nil {
			place := gang + " on " + pod.Spec.NodeName
			if other, taken := hosts[place]; taken {
				found = append(found, fmt.Sprintf("pods %s and %s of %s avoid each other", other, pod.Name, place))
			}
			hosts[place] = pod.Name
		}
		if len(pod.Spec.TopologySpreadConstraints) > 0 {
			if byZone[gang] == nil {
				byZone[gang] = map[string]int{}
			}
			byZone[gang][zoneOf[pod.Spec.NodeName]]++
		}
	}
	for gang, counts := range byZone {
		least, most := len(pods), 0
		for zone := range zones {
			least, most = min(least, counts[zone]), max(most, counts[zone])
		}
		if most-least > 1 {
			found = append(found, fmt.Sprintf("gang %s has %d pods in one zone and %d in another", gang, most, least))
		}
	}
	return found
}
