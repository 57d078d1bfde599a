// deviceyard measures kube-scheduler's own allocator of devices on the cluster of
// bench/device_bench.cc: nodes with 8 devices each, and claims for one device, each with a selector.
//
//	deviceyard [-nodes 1000] [-claims 1000]
//
// It asks about nodes in turn and takes what is given into account before the next claim, as the
// scheduler does: until a first node serves, which is the least that can be asked, and until so many
// nodes serve as kube-scheduler looks for by default.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/dynamic-resource-allocation/structured"
)

const (
	driver  = "x.io"
	devices = 8
)

type classes struct{ only *resourceapi.DeviceClass }

func (c classes) Get(string) (*resourceapi.DeviceClass, error) { return c.only, nil }
func (c classes) List() ([]*resourceapi.DeviceClass, error) {
	return []*resourceapi.DeviceClass{c.only}, nil
}

func text(s string) *string { return &s }

func selector(expression string) []resourceapi.DeviceSelector {
	return []resourceapi.DeviceSelector{{CEL: &resourceapi.CELDeviceSelector{Expression: expression}}}
}

func sliceOf(node string) *resourceapi.ResourceSlice {
	slice := &resourceapi.ResourceSlice{
		ObjectMeta: metav1.ObjectMeta{Name: node},
		Spec: resourceapi.ResourceSliceSpec{
			Driver:   driver,
			NodeName: text(node),
			Pool:     resourceapi.ResourcePool{Name: node, Generation: 1, ResourceSliceCount: 1},
		},
	}
	for d := 0; d < devices; d++ {
		index := int64(d)
		slice.Spec.Devices = append(slice.Spec.Devices, resourceapi.Device{
			Name: fmt.Sprintf("gpu-%d", d),
			Attributes: map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{
				"model": {StringValue: text("a100")},
				"index": {IntValue: &index},
			},
			Capacity: map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{
				"memory": {Value: resource.MustParse("40Gi")},
			},
		})
	}
	return slice
}

func claimNamed(name string) *resourceapi.ResourceClaim {
	return &resourceapi.ResourceClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, UID: types.UID(name)},
		Spec: resourceapi.ResourceClaimSpec{Devices: resourceapi.DeviceClaim{
			Requests: []resourceapi.DeviceRequest{{
				Name: "r",
				Exactly: &resourceapi.ExactDeviceRequest{
					DeviceClassName: "gpu",
					AllocationMode:  resourceapi.DeviceAllocationModeExactCount,
					Count:           1,
					Selectors:       selector("device.attributes['x.io'].model == 'a100'"),
				},
			}},
		}},
	}
}

// run places the claims, each after asking about nodes until `wanted` of them serve it; it returns
// the time and how often a node was asked about.
func run(nodes []*v1.Node, slices []*resourceapi.ResourceSlice, claims, wanted int) (time.Duration, int, error) {
	ctx := context.Background()
	class := &resourceapi.DeviceClass{
		ObjectMeta: metav1.ObjectMeta{Name: "gpu"},
		Spec:       resourceapi.DeviceClassSpec{Selectors: selector("device.driver == 'x.io'")},
	}
	cache := cel.NewCache(100, cel.Features{})
	taken := sets.New[structured.DeviceID]()
	asked := 0
	start := time.Now()
	for i := 0; i < claims; i++ {
		claim := claimNamed(fmt.Sprintf("c-%d", i))
		// The scheduler makes one for each pod.
		state := structured.AllocatedState{AllocatedDevices: taken}
		allocator, err := structured.NewAllocator(ctx, structured.Features{}, state, classes{class}, slices, cache)
		if err != nil {
			return 0, 0, err
		}
		var first []resourceapi.AllocationResult
		found := 0
		for k := 0; k < len(nodes) && found < wanted; k++ {
			asked++
			result, err := allocator.Allocate(ctx, nodes[(i/devices+k)%len(nodes)], []*resourceapi.ResourceClaim{claim})
			if err != nil {
				return 0, 0, err
			}
			if result == nil {
				continue
			}
			if found++; first == nil {
				first = result
			}
		}
		if first == nil {
			return 0, 0, fmt.Errorf("claim %d: no node has a device", i)
		}
		for _, result := range first[0].Devices.Results {
			taken.Insert(structured.MakeDeviceID(result.Driver, result.Pool, result.Device))
		}
	}
	return time.Since(start), asked, nil
}

func main() {
	nodeCount := flag.Int("nodes", 1000, "nodes, each with 8 devices")
	claimCount := flag.Int("claims", 1000, "claims for one device each")
	flag.Parse()
	var nodes []*v1.Node
	var slices []*resourceapi.ResourceSlice
	for i := 0; i < *nodeCount; i++ {
		name := fmt.Sprintf("node-%06d", i)
		nodes = append(nodes, &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}})
		slices = append(slices, sliceOf(name))
	}
	// kube-scheduler looks for so many percent of the nodes: 50 less one for each 125.
	sample := *nodeCount * max(5, 50-*nodeCount/125) / 100
	for _, way := range []struct {
		name   string
		wanted int
	}{{"first node", 1}, {"default share of nodes", max(sample, 100)}} {
		took, asked, err := run(nodes, slices, *claimCount, way.wanted)
		if err != nil {
			fmt.Fprintln(os.Stderr, "deviceyard:", err)
			os.Exit(1)
		}
		fmt.Printf("%-24s %8.3f s  %8d questions  %7.2f us each\n", way.name, took.Seconds(), asked,
			float64(took.Microseconds())/float64(asked))
	}
}
