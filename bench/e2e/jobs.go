package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/kubernetes"
)

var batchJobs = kind("batch.volcano.sh", "v1alpha1", "jobs")

// jobNameLabel is what the controller puts on the pods of a batch job.
const jobNameLabel = "volcano.sh/job-name"

// daemonsOfJobs are the programs that turn a batch job into bound pods, by the name of their user.
var daemonsOfJobs = []struct{ user, program string }{
	{"controllers", "vc-controller-manager"}, {"scheduler", "vc-scheduler"}}

// jobsRun is one shape of batch jobs on one server.
type jobsRun struct {
	params   *Params
	shape    jobShape
	server   *server
	observer *observer
	nodes    kubernetes.Interface // Writes the phases of pods.
	kubelets *kubelets            // None with --hold-pods.
	daemons  map[string]*program  // By user.
	result   *JobsResult
}

// compareJobs measures one shape after the other, each on a fresh server.
func compareJobs(ctx context.Context, p *Params) error {
	made := newStamp(p)
	var results []*JobsResult
	var failures []error
	for repeat := p.firstRepeat(); repeat <= p.Repeat; repeat++ {
		for _, shape := range p.Shapes {
			result, err := measureJobs(ctx, p, shape)
			if err != nil {
				return fmt.Errorf("%v: %w", shape, err)
			}
			result.Commit, result.Repeat, result.Discarded = made.Commit, repeat, repeat == 0
			if err := printJSON(result); err != nil {
				return err
			}
			if !result.Discarded {
				results = append(results, result)
			}
			failures = append(failures, result.judge())
		}
	}
	shapes := byShape(results)
	fmt.Fprintf(os.Stderr, "\n%s\n", made.text(p.Repeat, p.firstRepeat() == 0))
	printJobs(os.Stderr, p, shapes)
	return errors.Join(append(failures, printJSON(map[string]any{"summary": jobsSummary(made, shapes)}))...)
}

func measureJobs(ctx context.Context, p *Params, shape jobShape) (*JobsResult, error) {
	on, err := startServer(ctx, p, "--audit")
	if err != nil {
		return nil, err
	}
	defer on.stop(p.Keep)
	filled := *p
	filled.Pods = 0
	content := newWorld(&filled, newSubject("vc-scheduler", p), on)
	if err = content.open(ctx); err == nil {
		err = content.fill(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("fill the cluster: %w", err)
	}
	if err := on.awaitServed(ctx, batchJobs); err != nil {
		return nil, err
	}
	r := &jobsRun{params: p, shape: shape, server: on, daemons: map[string]*program{},
		result: &JobsResult{Shape: shape.String(), Jobs: shape.jobs,
			PodsPerJob: shape.podsPerJob, Nodes: p.Nodes, Existing: p.Existing, ManagerQPS: p.ManagerQPS,
			PodStartS: p.PodStart.Seconds(), HoldPods: p.HoldPods, PeakMiB: map[string]float64{}}}
	ctx, end := context.WithCancel(ctx)
	defer end()
	if err := r.watchPods(ctx); err != nil {
		return nil, err
	}
	defer func() {
		for _, daemon := range r.daemons {
			daemon.stop()
		}
	}()
	if err := r.startDaemons(ctx); err != nil {
		return nil, err
	}
	progress("%v: %d nodes, the daemons are ready", shape, p.Nodes)
	if err := r.work(ctx); err != nil {
		return nil, err
	}
	for _, d := range daemonsOfJobs {
		r.result.PeakMiB[d.program] = r.daemons[d.user].usage().peak
	}
	return r.result, r.verify(ctx)
}

// watchPods begins to note bindings and, unless pods are held, to set those pods Running.
func (r *jobsRun) watchPods(ctx context.Context) error {
	var err error
	if r.nodes, err = newKubeletClient(r.server); err != nil {
		return err
	}
	var onBound func(pod string, at time.Time)
	if !r.params.HoldPods {
		r.kubelets = startKubelets(ctx, r.shape.pods(), r.params.PodStart, func(ctx context.Context, pod string) error {
			return setPhase(ctx, r.nodes, pod, corev1.PodRunning)
		})
		onBound = r.kubelets.bound
	}
	r.observer, err = startObserver(ctx, r.server, onBound)
	return err
}

// startDaemons returns when both have read the cluster and do nothing any more: what is measured is
// the work for the jobs.
func (r *jobsRun) startDaemons(ctx context.Context) error {
	for _, d := range daemonsOfJobs {
		argv := []string{filepath.Join(r.params.Bin, d.program),
			"--kubeconfig", r.server.Kubeconfigs[d.user], "--leader-elect=false"}
		if d.user == "controllers" {
			argv = append(argv, r.params.managerFlags()...)
		} else if r.params.Conf != "" {
			argv = append(argv, "--scheduler-conf", r.params.Conf)
		}
		daemon, err := startHealthy(ctx, r.server, d.program, argv)
		if daemon != nil {
			r.daemons[d.user] = daemon
		}
		if err != nil {
			return err
		}
	}
	return r.awaitQuiet(ctx)
}

// managerFlags lift the rate limit of vc-controller-manager, which would otherwise be what is measured.
func (p *Params) managerFlags() []string {
	limit := strconv.Itoa(p.ManagerQPS)
	return []string{"--kube-api-qps", limit, "--kube-api-burst", limit}
}

// startHealthy starts a daemon and returns when it says that it is well. The daemon is there with an
// error, too, unless it could not be started.
func startHealthy(ctx context.Context, on *server, name string, argv []string) (*program, error) {
	health, err := freePort()
	if err != nil {
		return nil, err
	}
	address := "127.0.0.1:" + strconv.Itoa(health)
	argv = append(argv, "--enable-healthz", "--healthz-address", address)
	daemon, err := startProgram(filepath.Join(on.dir, name+".log"), argv...)
	if err != nil {
		return nil, err
	}
	return daemon, awaitHealthy(ctx, daemon, "http://"+address+"/healthz")
}

func awaitHealthy(ctx context.Context, daemon *program, url string) error {
	client := &http.Client{Timeout: time.Second}
	for deadline := time.Now().Add(30 * time.Second); ; {
		if response, err := client.Get(url); err == nil {
			response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return nil
			}
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("%s is not healthy after 30 seconds; see %s", daemon.command.Path, daemon.log)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-daemon.done:
			return daemon.failure()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// awaitQuiet waits until both daemons together have used at most a fiftieth of a core during two
// seconds and a half: longer than two statuses, each put off by a second, of which the second
// answers the first.
func (r *jobsRun) awaitQuiet(ctx context.Context) error {
	for deadline := time.Now().Add(r.params.Timeout); ; {
		before := r.usedCPU()
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(2500 * time.Millisecond):
		}
		for _, daemon := range r.daemons {
			select {
			case <-daemon.done:
				return daemon.failure()
			default:
			}
		}
		after, sum := r.usedCPU(), 0.0
		for name := range after {
			sum += after[name] - before[name]
		}
		if sum <= 0.05 {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("the daemons are still at work after %v", r.params.Timeout)
		}
	}
}

// work is the life of the jobs in stages; each ends when the daemons are quiet.
func (r *jobsRun) work(ctx context.Context) error {
	first, phases := "bound and running", []corev1.PodPhase{corev1.PodSucceeded}
	if r.params.HoldPods {
		first, phases = "bound", []corev1.PodPhase{corev1.PodRunning, corev1.PodSucceeded}
	}
	err := r.stage(ctx, first, func(begin time.Time) error {
		if err := r.createJobs(ctx); err != nil {
			return err
		}
		r.result.CreatedS = time.Since(begin).Seconds()
		err := r.awaitBound()
		r.result.TimedOut = errors.Is(err, errTimeout)
		r.noteTimes(begin)
		if r.result.TimedOut {
			return nil
		}
		if err != nil || r.kubelets == nil {
			return err
		}
		err = r.kubelets.await(ctx, r.params.PodStart+r.params.Timeout)
		r.result.AllRunningS = time.Since(begin).Seconds()
		r.result.StartLateP50S, r.result.StartLateMaxS = r.kubelets.lateness()
		return err
	})
	if err != nil || r.result.TimedOut || !r.params.Finish {
		return err
	}
	for _, phase := range phases {
		if err := r.stage(ctx, string(phase), func(time.Time) error { return r.setPods(ctx, phase) }); err != nil {
			return err
		}
	}
	return nil
}

// stage carries out one step and notes what it cost.
func (r *jobsRun) stage(ctx context.Context, name string, step func(begin time.Time) error) error {
	before, begin := r.usedCPU(), time.Now()
	if err := step(begin); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	s := &JobsStage{Name: name, Seconds: time.Since(begin).Seconds(), CPUPer1000: map[string]float64{}}
	if err := r.awaitQuiet(ctx); err != nil {
		return err
	}
	pods := float64(r.shape.pods())
	for name, used := range r.usedCPU() {
		s.CPUPer1000[name] = (used - before[name]) * 1000 / pods
	}
	users := []string{}
	for _, d := range daemonsOfJobs {
		users = append(users, d.user)
	}
	owners, err := r.owners(ctx)
	if err != nil {
		return err
	}
	found, err := readStage(r.server.AuditLog, begin, users, owners)
	if err != nil {
		return err
	}
	s.note(found, pods)
	if len(r.result.Stages) == 0 {
		r.result.noteUntilBound(found, pods)
	}
	r.result.Stages = append(r.result.Stages, s)
	r.result.WritesPerPod += s.WritesPerPodSum
	progress("%v: %s after %.2f s, %.2f writes per pod", r.shape, name, s.Seconds, s.WritesPerPodSum)
	return nil
}

func (r *jobsRun) usedCPU() map[string]float64 {
	used := map[string]float64{}
	for _, d := range daemonsOfJobs {
		if daemon := r.daemons[d.user]; daemon != nil {
			used[d.program] = daemon.usage().cpu
		}
	}
	for _, name := range []string{"kube-apiserver", "etcd"} {
		used[name] = usageOf(r.server.PIDs[name]).cpu
	}
	return used
}

func (r *jobsRun) createJobs(ctx context.Context) error {
	client := r.server.dynamic.Resource(batchJobs).Namespace(namespace)
	return inParallel(r.shape.jobs, func(i int) error {
		_, err := client.Create(ctx, r.newJob(i), metav1.CreateOptions{})
		return err
	})
}

func (r *jobsRun) newJob(i int) *unstructured.Unstructured {
	size := int64(r.shape.podsPerJob)
	container := map[string]any{"name": "main", "image": "example.invalid/app:1",
		"resources": map[string]any{"requests": map[string]any{
			"cpu": r.params.PodCPU, "memory": r.params.PodMemory}}}
	template := map[string]any{
		"metadata": map[string]any{"labels": map[string]any{roleLabel: pendingRole}},
		"spec":     map[string]any{"restartPolicy": "Never", "containers": []any{container}}}
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job",
		"metadata": map[string]any{"name": fmt.Sprintf("job-%05d", i), "namespace": namespace},
		"spec": map[string]any{"schedulerName": "volcano", "queue": "default", "minAvailable": size,
			"tasks": []any{map[string]any{"name": "main", "replicas": size, "template": template}}}}}
}

func (r *jobsRun) awaitBound() error {
	ended := make(chan struct{}) // A daemon that ends is noticed when the server is asked to be quiet.
	return r.observer.await(r.params.Timeout, ended, func() bool {
		bound, _ := r.observer.count(pendingRole)
		return bound >= r.shape.pods()
	})
}

// setPods does what kubelets would do, as fast as the server takes it.
func (r *jobsRun) setPods(ctx context.Context, phase corev1.PodPhase) error {
	pods, err := r.listPods(ctx)
	if err != nil {
		return err
	}
	return inParallel(len(pods), func(i int) error { return setPhase(ctx, r.nodes, pods[i].Name, phase) })
}

func (r *jobsRun) listPods(ctx context.Context) ([]corev1.Pod, error) {
	list, err := r.server.core.CoreV1().Pods(namespace).List(ctx,
		metav1.ListOptions{LabelSelector: roleLabel + "=" + pendingRole})
	if err != nil {
		return nil, err
	}
	return list.Items, nil
}

// owners tells for each pod what it belongs to.
func (r *jobsRun) owners(ctx context.Context) (map[string]podOwner, error) {
	pods, err := r.listPods(ctx)
	if err != nil {
		return nil, err
	}
	owners := map[string]podOwner{}
	for _, pod := range pods {
		owners[pod.Name] = podOwner{pod.Labels[jobNameLabel], pod.Annotations[groupAnnotation]}
	}
	return owners, nil
}

func (r *jobsRun) noteTimes(begin time.Time) {
	times := r.observer.times()
	slices.SortFunc(times, time.Time.Compare)
	last := begin
	for i, at := range times {
		if i == 0 {
			r.result.FirstBindS = at.Sub(begin).Seconds()
		} else if gap := at.Sub(last).Seconds(); gap > r.result.LongestGapS {
			r.result.LongestGapS, r.result.LongestGapAtS = gap, last.Sub(begin).Seconds()
		}
		last = at
	}
	r.result.Bound, r.result.AllBoundS = len(times), last.Sub(begin).Seconds()
}

// verify reads the cluster anew: every job has its pods, and reached the phase of its pods.
func (r *jobsRun) verify(ctx context.Context) error {
	found, err := findViolations(ctx, r.server)
	if err != nil {
		return err
	}
	pods, err := r.server.core.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	jobs, err := r.server.dynamic.Resource(batchJobs).Namespace(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	phase := ""
	if r.params.Finish && !r.result.TimedOut {
		phase = "Completed"
	}
	found = append(found, r.observer.twice()...)
	r.result.Violations = append(found, wrongJobs(jobs.Items, pods.Items, r.shape, phase)...)
	return nil
}

// wrongJobs names jobs with too few or too many pods, and those in another phase when one is given.
func wrongJobs(jobs []unstructured.Unstructured, pods []corev1.Pod, shape jobShape, phase string) []string {
	found := []string{}
	count := map[string]int{}
	for _, pod := range pods {
		count[pod.Labels[jobNameLabel]]++
	}
	if len(jobs) != shape.jobs {
		found = append(found, fmt.Sprintf("there are %d jobs, not %d", len(jobs), shape.jobs))
	}
	for _, job := range jobs {
		if n := count[job.GetName()]; n != shape.podsPerJob {
			found = append(found, fmt.Sprintf("job %s has %d pods, not %d", job.GetName(), n, shape.podsPerJob))
		}
		is, _, _ := unstructured.NestedString(job.Object, "status", "state", "phase")
		if phase != "" && is != phase {
			found = append(found, fmt.Sprintf("job %s is %q, not %s", job.GetName(), is, phase))
		}
	}
	return found
}
