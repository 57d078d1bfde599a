package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
)

// Params say how large the cluster is, what is measured on it, and where the programs are.
type Params struct {
	Subjects     []string
	Repeat       int
	Nodes        int
	Pods         int
	Gang         int
	Existing     int
	Hopeless     int
	Singles      int
	SingleEvery  time.Duration
	Idle         time.Duration
	KillAt       int
	Standby      bool
	AntiAffinity bool
	Spread       bool
	Shapes       []jobShape
	Finish       bool
	PodStart     time.Duration
	HoldPods     bool
	ManagerQPS   int
	Timeout      time.Duration
	PodCPU       string
	PodMemory    string
	NodeCPU      string
	NodeMemory   string
	NodePods     int
	Connections  int
	Bin          string
	KubeBin      string
	CRDs         string
	Conf         string
	Custom       string
	CustomName   string
	Keep         bool

	podStartGiven bool // It was named on the command line.
}

const podStartFlag = "pod-start"

func parseParams(args []string) (*Params, error) {
	p := &Params{}
	var subjects, shapes string
	f := flag.NewFlagSet("bench/e2e/run", flag.ContinueOnError)
	f.StringVar(&subjects, "subjects", "vc-scheduler,kube-scheduler,bare-client",
		"what is measured, in this order, each on a fresh API server: "+subjectNames)
	f.IntVar(&p.Repeat, "repeat", 1, "how often the whole list of subjects is measured; the table shows medians")
	f.IntVar(&p.Nodes, "nodes", 100, "nodes")
	f.IntVar(&p.Pods, "pods", 500, "pending pods that are there when the subject starts")
	f.IntVar(&p.Gang, "gang", 10, "pods per gang")
	f.IntVar(&p.Existing, "existing", 0, "pods that run already, spread over the nodes")
	f.IntVar(&p.Hopeless, "hopeless", 0, "pending pods that fit nowhere, in gangs of the same size")
	f.IntVar(&p.Singles, "singles", 0, "after the others: pods created one by one, to measure their latency")
	f.DurationVar(&p.SingleEvery, "single-every", 250*time.Millisecond, "pause between them")
	f.DurationVar(&p.Idle, "idle", 0, "how long the idle subject is watched after the last binding")
	f.IntVar(&p.KillAt, "kill-at", 0,
		"after so many bindings the subject is killed with SIGKILL and started again (0: never)")
	f.BoolVar(&p.Standby, "standby", false,
		"two processes of vc-scheduler share a lease; with --kill-at the one that leads is killed for good")
	f.BoolVar(&p.AntiAffinity, "anti-affinity", false, "pods of a gang avoid each other by host")
	f.BoolVar(&p.Spread, "spread", false,
		"pods of a gang are spread: over zones as they must, over hosts as they should")
	f.StringVar(&shapes, "jobs", "",
		"batch jobs instead of pods, each of JOBSxPODS on a fresh server with vc-controller-manager and "+
			"vc-scheduler, such as 2000x1,100x20,20x100,1x2000")
	f.BoolVar(&p.Finish, "finish", false, "with --jobs: the pods also succeed, after all run")
	f.DurationVar(&p.PodStart, podStartFlag, 500*time.Millisecond,
		"with --jobs: how long after its binding was seen a pod is set Running; 0: at once")
	f.BoolVar(&p.HoldPods, "hold-pods", false,
		"with --jobs: no pod runs before all are bound, and none without --finish")
	f.IntVar(&p.ManagerQPS, "manager-qps", 10000, "with --jobs: rate and burst of vc-controller-manager")
	f.DurationVar(&p.Timeout, "timeout", 5*time.Minute, "until all pending pods are bound")
	f.StringVar(&p.PodCPU, "pod-cpu", "100m", "CPU request of each pod")
	f.StringVar(&p.PodMemory, "pod-memory", "64Mi", "memory request of each pod")
	f.StringVar(&p.NodeCPU, "node-cpu", "32", "CPU of each node")
	f.StringVar(&p.NodeMemory, "node-memory", "256Gi", "memory of each node")
	f.IntVar(&p.NodePods, "node-pods", 250, "pods that each node takes")
	f.IntVar(&p.Connections, "connections", 16, "connections of bare-client")
	f.StringVar(&p.Bin, "bin", "", "folder of vc-scheduler (default: build/release/bin)")
	f.StringVar(&p.KubeBin, "kube-bin", "", "folder of kt and the programs it starts (default: tests/kube/bin)")
	f.StringVar(&p.CRDs, "crds", "", "folder of the definitions to install (default: deploy/crds)")
	f.StringVar(&p.Conf, "scheduler-conf", "", "policy of vc-scheduler (default: that of the program)")
	f.StringVar(&p.Custom, "custom", "",
		"command line of the subject custom; {kubeconfig} and {port} are replaced")
	f.StringVar(&p.CustomName, "custom-scheduler-name", "volcano", "spec.schedulerName of the pods for custom")
	f.BoolVar(&p.Keep, "keep", false, "keep the state folders with all logs")
	root := f.String("root", "", "top of the source tree; set by the script")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	if f.NArg() > 0 {
		return nil, fmt.Errorf("unexpected argument %q", f.Arg(0))
	}
	f.Visit(func(given *flag.Flag) { p.podStartGiven = p.podStartGiven || given.Name == podStartFlag })
	p.Subjects = strings.Split(subjects, ",")
	if shapes != "" {
		var err error
		if p.Shapes, err = parseShapes(shapes); err != nil {
			return nil, fmt.Errorf("--jobs: %w", err)
		}
		p.Subjects = []string{"vc-scheduler"}
	}
	defaultTo(&p.Bin, filepath.Join(*root, "build/release/bin"))
	defaultTo(&p.KubeBin, filepath.Join(*root, "tests/kube/bin"))
	defaultTo(&p.CRDs, filepath.Join(*root, "deploy/crds"))
	return p, p.check()
}

func defaultTo(value *string, fallback string) {
	if *value == "" {
		*value = fallback
	}
}

// check refuses what could not be measured, before the first server starts.
func (p *Params) check() error {
	if p.Nodes < 1 || p.Pods < 1 || p.Gang < 1 || p.Repeat < 1 || p.Connections < 1 {
		return errors.New("--nodes, --pods, --gang, --repeat and --connections must be at least 1")
	}
	if p.Existing < 0 || p.Hopeless < 0 || p.Singles < 0 {
		return errors.New("--existing, --hopeless and --singles must not be negative")
	}
	if p.AntiAffinity && p.Gang > p.Nodes {
		return fmt.Errorf("--anti-affinity: a gang of %d has no place on %d nodes", p.Gang, p.Nodes)
	}
	if p.KillAt < 0 || p.KillAt >= p.Pods {
		return fmt.Errorf("--kill-at %d: must be at least 0 and less than --pods (%d)", p.KillAt, p.Pods)
	}
	if p.Standby && (p.KillAt == 0 || !slices.Equal(p.Subjects, []string{"vc-scheduler"})) {
		return errors.New("--standby needs --kill-at and --subjects vc-scheduler")
	}
	if err := p.checkShapes(); err != nil {
		return err
	}
	for _, name := range p.Subjects {
		if err := p.checkSubject(name); err != nil {
			return fmt.Errorf("--subjects: %w", err)
		}
	}
	for _, text := range []string{p.PodCPU, p.PodMemory, p.NodeCPU, p.NodeMemory} {
		if _, err := resource.ParseQuantity(text); err != nil {
			return fmt.Errorf("%q: %w", text, err)
		}
	}
	return p.checkRoom()
}

func (p *Params) checkSubject(name string) error {
	switch {
	case !isSubject(name):
		return fmt.Errorf("%q is none of %s", name, subjectNames)
	case name == "custom" && p.Custom == "":
		return errors.New("custom needs --custom")
	case name == "vc-scheduler":
		if _, err := os.Stat(filepath.Join(p.Bin, name)); err != nil {
			return fmt.Errorf("%w: build the release preset, or name the folder with --bin", err)
		}
	}
	return nil
}

// checkRoom makes sure that all pods fit: a run that waits for its timeout measures nothing.
func (p *Params) checkRoom() error {
	perNode := int64(p.NodePods)
	for _, pair := range [][2]string{{p.NodeCPU, p.PodCPU}, {p.NodeMemory, p.PodMemory}} {
		room, request := resource.MustParse(pair[0]), resource.MustParse(pair[1])
		if request.MilliValue() > 0 {
			perNode = min(perNode, room.MilliValue()/request.MilliValue())
		}
	}
	pods := p.Pods
	for i, shape := range p.Shapes {
		if i == 0 || shape.pods() > pods {
			pods = shape.pods()
		}
	}
	need := int64(pods + p.Existing + p.Singles)
	if have := perNode * int64(p.Nodes); need > have {
		return fmt.Errorf("%d pods do not fit: each of the %d nodes takes %d", need, p.Nodes, perNode)
	}
	return nil
}
