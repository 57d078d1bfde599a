package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
)

// Params say how large the cluster is, what is measured on it, and where the programs are.
type Params struct {
	Subjects     []string
	Repeat       int
	DiscardFirst bool
	Nodes        int
	Pods         int
	Gang         int
	Existing     int
	Hopeless     int
	Workers      int
	Singles      int
	SingleEvery  time.Duration
	PlainSingles bool
	Waiting      int
	WaitingKind  string
	Idle         time.Duration
	KillAt       int
	Standby      bool
	AntiAffinity bool
	Spread       bool
	Shapes       []jobShape
	Finish       bool
	Admission    bool
	PodStart     time.Duration
	HoldPods     bool
	ManagerQPS   int
	Timeout      time.Duration
	PodCPU       string
	PodMemory    string
	NodeCPU      string
	NodeMemory   string
	NodePods     int
	Connections  []int
	Baseline     bool
	Bin          string
	KubeBin      string
	CRDs         string
	Conf         string
	Custom       string
	CustomName   string
	Keep         bool
	Root         string
	Args         []string // As given to the script, for the record.

	podStartGiven bool // It was named on the command line.
}

const podStartFlag = "pod-start"

func parseParams(args []string) (*Params, error) {
	p := &Params{Args: withoutRoot(args)}
	f := flag.NewFlagSet("bench/e2e/run", flag.ContinueOnError)
	subjects := f.String("subjects", "vc-scheduler,kube-scheduler,bare-client",
		"what is measured, in this order, each on a fresh API server: "+subjectNames)
	connections := f.String("connections", "48", "connections of bare-client: at least as many as the "+
		"schedulers have. With several numbers, such as 8,16,32,48, it runs with each, and the "+
		"strongest is what others are compared with")
	shapes := f.String("jobs", "",
		"batch jobs instead of pods, each of JOBSxPODS on a fresh server with vc-controller-manager and "+
			"vc-scheduler, such as 2000x1,100x20,20x100,1x2000")
	p.addSizes(f)
	p.addCircumstances(f)
	p.addPlaces(f)
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	if f.NArg() > 0 {
		return nil, fmt.Errorf("unexpected argument %q", f.Arg(0))
	}
	f.Visit(func(given *flag.Flag) { p.podStartGiven = p.podStartGiven || given.Name == podStartFlag })
	p.Subjects = strings.Split(*subjects, ",")
	var err error
	if p.Connections, err = parseConnections(*connections); err != nil {
		return nil, fmt.Errorf("--connections: %w", err)
	}
	if *shapes != "" {
		if p.Shapes, err = parseShapes(*shapes); err != nil {
			return nil, fmt.Errorf("--jobs: %w", err)
		}
		p.Subjects = []string{"vc-scheduler"}
	}
	defaultTo(&p.Bin, os.Getenv("BTH_BIN"))
	defaultTo(&p.Bin, filepath.Join(p.Root, "build/release/bin"))
	defaultTo(&p.KubeBin, os.Getenv("BTH_KUBE_BIN"))
	defaultTo(&p.KubeBin, filepath.Join(p.Root, "tests/kube/bin"))
	defaultTo(&p.CRDs, filepath.Join(p.Root, "deploy/crds"))
	return p, p.check()
}

// withoutRoot leaves out what the script adds before all else.
func withoutRoot(args []string) []string {
	if len(args) > 1 && args[0] == "--root" {
		return args[2:]
	}
	return args
}

// addSizes declares how large the cluster is and how much is done on it.
func (p *Params) addSizes(f *flag.FlagSet) {
	f.IntVar(&p.Repeat, "repeat", 1, "how often the whole list of subjects is measured; the table shows medians")
	f.BoolVar(&p.DiscardFirst, "discard-first", true,
		"with --repeat above 1: the list is measured once more before, and that is thrown away")
	f.IntVar(&p.Nodes, "nodes", 100, "nodes")
	f.IntVar(&p.Pods, "pods", 500, "pending pods that are there when the subject starts")
	f.IntVar(&p.Gang, "gang", 10, "pods per gang")
	f.IntVar(&p.Existing, "existing", 0, "pods that run already, spread over the nodes")
	f.IntVar(&p.Hopeless, "hopeless", 0, "pending pods that fit nowhere, in gangs of the same size")
	f.IntVar(&p.Workers, "workers", 1, "of vc-agent-scheduler: its --scheduler-worker-count")
	f.IntVar(&p.Singles, "singles", 0, "after the others: pods created one by one, to measure their latency")
	f.DurationVar(&p.SingleEvery, "single-every", 250*time.Millisecond, "pause between them")
	f.BoolVar(&p.PlainSingles, "plain-singles", false, "vc-scheduler with --singles: as many again without "+
		"a PodGroup, which vc-controller-manager makes; it is started then")
	f.IntVar(&p.Waiting, "waiting", 0, fmt.Sprintf("with --singles: after these, so many gangs of %d are created "+
		"that fit nowhere, and as many single pods are measured again", waitingGang))
	f.StringVar(&p.WaitingKind, "waiting-kind", waitingLarge,
		"why gangs wait: large (no node is big enough) or full (an empty node would be, but none is empty)")
	f.DurationVar(&p.Idle, "idle", 0, "how long the idle subject is watched: after the last binding, "+
		"with --waiting at the very end")
	f.StringVar(&p.PodCPU, "pod-cpu", "100m", "CPU request of each pod")
	f.StringVar(&p.PodMemory, "pod-memory", "64Mi", "memory request of each pod")
	f.StringVar(&p.NodeCPU, "node-cpu", "32", "CPU of each node")
	f.StringVar(&p.NodeMemory, "node-memory", "256Gi", "memory of each node")
	f.IntVar(&p.NodePods, "node-pods", 250, "pods that each node takes")
}

// addCircumstances declares what happens meanwhile.
func (p *Params) addCircumstances(f *flag.FlagSet) {
	f.IntVar(&p.KillAt, "kill-at", 0,
		"after so many bindings the subject is killed with SIGKILL and started again (0: never)")
	f.BoolVar(&p.Standby, "standby", false,
		"two processes of vc-scheduler share a lease; with --kill-at the one that leads is killed for good")
	f.BoolVar(&p.AntiAffinity, "anti-affinity", false,
		"each scheduler also with pods that avoid the hosts of their gang")
	f.BoolVar(&p.Spread, "spread", false,
		"each scheduler also with gangs that are spread: over zones as they must, over hosts as they should")
	f.BoolVar(&p.Baseline, "baseline", false, "each scheduler is first started on the empty server, "+
		"to tell the memory of the cluster's objects from that of the program")
	f.BoolVar(&p.Admission, "admission", false, "only the creation of --pods pods, in turn without and with "+
		"vc-webhook-manager as it registers itself")
	f.BoolVar(&p.Finish, "finish", false, "with --jobs: the pods also succeed, after all run")
	f.DurationVar(&p.PodStart, podStartFlag, 500*time.Millisecond,
		"with --jobs: how long after its binding was seen a pod is set Running; 0: at once")
	f.BoolVar(&p.HoldPods, "hold-pods", false,
		"with --jobs: no pod runs before all are bound, and none without --finish")
	f.IntVar(&p.ManagerQPS, "manager-qps", 10000, "rate and burst of vc-controller-manager")
	f.DurationVar(&p.Timeout, "timeout", 5*time.Minute, "until all pending pods are bound")
}

// addPlaces declares where programs and files are.
func (p *Params) addPlaces(f *flag.FlagSet) {
	f.StringVar(&p.Bin, "bin", "", "folder of vc-scheduler and vc-agent-scheduler (default: $BTH_BIN, or build/release/bin)")
	f.StringVar(&p.KubeBin, "kube-bin", "",
		"folder of kt and the programs it starts (default: $BTH_KUBE_BIN, or tests/kube/bin)")
	f.StringVar(&p.CRDs, "crds", "", "folder of the definitions to install (default: deploy/crds)")
	f.StringVar(&p.Conf, "scheduler-conf", "", "policy of vc-scheduler (default: that of the program)")
	f.StringVar(&p.Custom, "custom", "",
		"command line of the subject custom; {kubeconfig} and {port} are replaced")
	f.StringVar(&p.CustomName, "custom-scheduler-name", "volcano", "spec.schedulerName of the pods for custom")
	f.BoolVar(&p.Keep, "keep", false, "keep the state folders with all logs")
	f.StringVar(&p.Root, "root", "", "top of the source tree; set by the script")
}

// parseConnections reads "8,16,32".
func parseConnections(text string) ([]int, error) {
	var counts []int
	for _, part := range strings.Split(text, ",") {
		count, err := strconv.Atoi(part)
		if err != nil || count < 1 || slices.Contains(counts, count) {
			return nil, fmt.Errorf("%q: want different numbers of at least 1, such as 8,16,32", text)
		}
		counts = append(counts, count)
	}
	return counts, nil
}

func defaultTo(value *string, fallback string) {
	if *value == "" {
		*value = fallback
	}
}

// check refuses what could not be measured, before the first server starts.
func (p *Params) check() error {
	if p.Nodes < 1 || p.Pods < 1 || p.Gang < 1 || p.Repeat < 1 {
		return errors.New("--nodes, --pods, --gang and --repeat must be at least 1")
	}
	if p.Existing < 0 || p.Hopeless < 0 || p.Singles < 0 {
		return errors.New("--existing, --hopeless and --singles must not be negative")
	}
	if err := p.checkWaiting(); err != nil {
		return err
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
	if p.PlainSingles {
		if p.Singles == 0 || p.Waiting > 0 || p.ManagerQPS < 1 {
			return errors.New("--plain-singles needs --singles and --manager-qps, and goes without --waiting")
		}
		if _, err := os.Stat(filepath.Join(p.Bin, managerProgram)); err != nil {
			return fmt.Errorf("--plain-singles: %w", err)
		}
	}
	if err := p.checkShapes(); err != nil {
		return err
	}
	if p.Admission {
		if len(p.Shapes) > 0 {
			return errors.New("--admission and --jobs measure different things: leave out one")
		}
		if _, err := os.Stat(filepath.Join(p.Bin, webhookProgram)); err != nil {
			return fmt.Errorf("--admission: %w", err)
		}
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
	if p.Admission {
		return nil // Nothing is scheduled.
	}
	return p.checkRoom()
}

func (p *Params) checkSubject(name string) error {
	switch {
	case !isSubject(name):
		return fmt.Errorf("%q is none of %s", name, subjectNames)
	case name == "custom" && p.Custom == "":
		return errors.New("custom needs --custom")
	case name == ours || name == agent:
		if _, err := os.Stat(filepath.Join(p.Bin, name)); err != nil {
			return fmt.Errorf("%w: build the release preset, or name the folder with --bin", err)
		}
	}
	return nil
}

// checkRoom makes sure that all pods fit: a run that waits for its timeout measures nothing.
func (p *Params) checkRoom() error {
	perNode := int64(p.NodePods)
	if p.fills() {
		perNode--
	}
	for i, pair := range [][2]string{{p.NodeCPU, p.PodCPU}, {p.NodeMemory, p.PodMemory}} {
		room, request := resource.MustParse(pair[0]), resource.MustParse(pair[1])
		free := room.MilliValue()
		if i == 0 && p.fills() {
			filler := p.fillerCPU()
			free -= filler.MilliValue()
		}
		if request.MilliValue() > 0 {
			perNode = min(perNode, free/request.MilliValue())
		}
	}
	pods := p.Pods
	for i, shape := range p.Shapes {
		if i == 0 || shape.pods() > pods {
			pods = shape.pods()
		}
	}
	need := int64(pods + p.Existing + p.Singles)
	if p.Waiting > 0 || p.PlainSingles {
		need += int64(p.Singles) // Measured twice.
	}
	if have := perNode * int64(p.Nodes); need > have {
		return fmt.Errorf("%d pods do not fit: each of the %d nodes takes %d", need, p.Nodes, perNode)
	}
	return nil
}
