package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestShapes(t *testing.T) {
	shapes, err := parseShapes("2000x1,1x2000")
	if err != nil || !slices.Equal(shapes, []jobShape{{2000, 1}, {1, 2000}}) || shapes[0].pods() != 2000 {
		t.Errorf("got %v, %v", shapes, err)
	}
}

func auditText(at, user, verb, resource, subresource, stage string, code string) string {
	return `{"stage":"` + stage + `","verb":"` + verb + `","requestURI":"/x","user":{"username":"` + user +
		`"},"objectRef":{"resource":"` + resource + `","subresource":"` + subresource +
		`"},"responseStatus":{"code":` + code + `},"requestReceivedTimestamp":"` + at + `"}`
}

// Rotated logs count; other users, what came earlier, and the ends of watches do not.
func TestCallsAreReadFromTheAuditLog(t *testing.T) {
	dir := t.TempDir()
	const before, after = "2026-01-01T00:00:00.999999Z", "2026-01-01T00:00:01.000000Z"
	write := func(name string, lines ...string) {
		text := strings.Join(lines, "\n") + "\n"
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("audit-2026-01-01T00-00-02.000.log",
		auditText(before, "scheduler", "create", "pods", "binding", "ResponseComplete", "201"),
		auditText(after, "scheduler", "create", "pods", "binding", "ResponseComplete", "201"))
	write("audit.log",
		auditText(after, "admin", "create", "pods", "", "ResponseComplete", "201"),
		auditText(after, "scheduler", "create", "pods", "binding", "ResponseComplete", "409"),
		auditText(after, "scheduler", "watch", "pods", "", "ResponseStarted", "200"),
		auditText(after, "scheduler", "watch", "pods", "", "ResponseComplete", "200"),
		auditText(after, "scheduler", "update", "leases", "", "ResponseComplete", "409"))
	from := time.Date(2026, 1, 1, 0, 0, 1, 0, time.UTC)
	found, err := readStage(filepath.Join(dir, "audit.log"), from, []string{"scheduler", "controllers"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	counts, of := found.calls, found.calls["scheduler"]
	if len(counts) != 2 || len(of) != 4 || of["create pods/binding"] != 1 ||
		of["create pods/binding 409"] != 1 || of["watch pods"] != 1 || of["update leases 409"] != 1 {
		t.Errorf("got %v", counts)
	}
	if writes := counts.writesOf("scheduler"); writes != 2 {
		t.Errorf("%d writes, want 2: a binding and one that was refused", writes)
	}
	if _, err := readStage(filepath.Join(dir, "none.log"), from, nil, nil); err == nil {
		t.Error("a log that is not there was read")
	}
}

// namedText is a finished request for an object of the bench; times are milliseconds.
func namedText(received, answered int, user, call, name, code string) string {
	at := func(ms int) string { return fmt.Sprintf("2026-01-01T00:00:01.%03d000Z", ms) }
	verb, target, _ := strings.Cut(call, " ")
	resource, subresource, _ := strings.Cut(target, "/")
	return `{"stage":"ResponseComplete","verb":"` + verb + `","requestURI":"/x","user":{"username":"` + user +
		`"},"objectRef":{"resource":"` + resource + `","subresource":"` + subresource +
		`","namespace":"bench","name":"` + name + `"},"responseStatus":{"code":` + code +
		`},"requestReceivedTimestamp":"` + at(received) + `","stageTimestamp":"` + at(answered) + `"}`
}

// twoJobsLog is the life of job a, whose second pod is bound after the first runs, and of job b,
// whose pod nobody sets Running.
func twoJobsLog() []string {
	log := []string{}
	line := func(received, answered int, user, call, name, code string) {
		log = append(log, namedText(received, answered, user, call, name, code))
	}
	const c, s, status = "controllers", "scheduler", "patch jobs/status"
	// Lines stand in the order of answers: what is judged by a later line comes first here.
	line(500, 501, c, status, "a", "200") // Of running: at the very moment; while binding.
	line(499, 502, c, status, "a", "200") // Before: its writer did not know yet.
	line(300, 301, c, status, "a", "200") // Before: the other pod is refused its start here.
	line(100, 101, c, "create podgroups", "a-uid", "201")
	line(102, 103, c, "create pods", "a-main-0", "201")
	line(110, 111, s, "create pods/binding", "a-main-0", "201")
	line(290, 291, "nodes", "patch pods/status", "a-main-1", "409")
	line(420, 500, "nodes", "patch pods/status", "a-main-0", "200")
	line(900, 901, "nodes", "patch pods/status", "a-main-1", "200")
	line(520, 521, s, "patch podgroups", "a-uid", "200") // Of running, while binding.
	line(530, 531, s, "patch podgroups", "a-uid", "409") // The same, refused.
	line(540, 550, s, "create pods/binding", "a-main-1", "201")
	line(650, 651, s, "create pods/binding", "a-main-1", "409") // Binds nothing.
	line(560, 561, s, "patch podgroups", "a-uid", "200")        // Of running, all bound.
	line(570, 571, s, "delete podgroups", "a-uid", "200")       // No status.
	line(600, 601, s, "create pods/binding", "b-main-0", "201")
	line(950, 951, c, status, "b", "200") // Its pod does not run.
	line(960, 961, s, "create events", "a-main-0.1f", "201")
	line(960, 961, s, "create events", "a-uid.2f", "201")
	line(970, 971, s, "patch queues/status", "a", "200")
	line(971, 972, s, "patch queues/status", "a", "200")
	line(980, 981, c, "update leases", "a", "200")
	line(980, 981, "admin", "patch jobs/status", "a", "200")
	return log
}

// The moment of the first start of job a is 500, its last binding 550.
func TestStatusesOfRunningPodsAreToldFromThoseUntilBound(t *testing.T) {
	log := filepath.Join(t.TempDir(), "audit.log")
	if err := os.WriteFile(log, []byte(strings.Join(twoJobsLog(), "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	owners := map[string]podOwner{"a-main-0": {"a", "a-uid"}, "a-main-1": {"a", "a-uid"}, "b-main-0": {"b", "b-uid"}}
	from := time.Date(2026, 1, 1, 0, 0, 1, 0, time.UTC)
	read := func(owners map[string]podOwner) *stageWrites {
		found, err := readStage(log, from, []string{"controllers", "scheduler"}, owners)
		if err != nil {
			t.Fatal(err)
		}
		if c, s := found.calls.writesOf("controllers"), found.calls.writesOf("scheduler"); c != 6 || s != 12 {
			t.Errorf("%d and %d writes, want 6 and 12", c, s)
		}
		return found
	}
	found := read(owners)
	if c, s := found.untilBound["controllers"], found.untilBound["scheduler"]; c != 5 || s != 9 {
		t.Errorf("%d and %d writes until bound, want 5 and 9", c, s)
	}
	if found.whileBinding != 3 {
		t.Errorf("%d writes of running while binding, want 3", found.whileBinding)
	}
	others := []otherWrite{{"scheduler", "patch queues/status", 2}, {"controllers", "update leases", 1},
		{"scheduler", "create events (not of a pod)", 1}, {"scheduler", "create pods/binding 409", 1},
		{"scheduler", "delete podgroups", 1}, {"scheduler", "patch podgroups 409", 1}}
	if !slices.Equal(found.others, others) {
		t.Errorf("got other writes %v", found.others)
	}
	found = read(nil)
	if c, s := found.untilBound["controllers"], found.untilBound["scheduler"]; c != 6 || s != 12 {
		t.Errorf("pods of nobody: %d and %d writes until bound, want all", c, s)
	}
}

func TestTheReportKeepsTheMostFrequentOtherWrites(t *testing.T) {
	found := &stageWrites{calls: calls{"scheduler": {"create pods/binding": 6}},
		untilBound: map[string]int{"scheduler": 3}, whileBinding: 1}
	for i := range othersShown + 1 {
		found.others = append(found.others, otherWrite{"scheduler", fmt.Sprintf("patch queues/status 40%d", i), 9 - i})
	}
	stage := &JobsStage{Name: "bound and running"}
	stage.note(found, 2)
	result := &JobsResult{Shape: "1x2", Jobs: 1, PodsPerJob: 2, Stages: []*JobsStage{stage}}
	result.noteUntilBound(found, 2)
	if stage.WritesPerPodSum != 3 || result.WritesUntilBound != 1.5 || result.WhileBinding != 0.5 {
		t.Errorf("got %v, %v, %v per pod", stage.WritesPerPodSum, result.WritesUntilBound, result.WhileBinding)
	}
	var out strings.Builder
	printJobs(&out, &Params{PodStart: time.Second}, []shapeRuns{{result}})
	for _, part := range []string{"pods run 1s after they were seen bound", "patch queues/status 404"} {
		if !strings.Contains(out.String(), part) {
			t.Errorf("no %q in\n%s", part, out.String())
		}
	}
	if strings.Contains(out.String(), "patch queues/status 405") {
		t.Error("the sixth kind was shown")
	}
}

func TestJobsWithOtherPodsOrPhasesAreFound(t *testing.T) {
	job := func(name, phase string) unstructured.Unstructured {
		return unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"name": name},
			"status": map[string]any{"state": map[string]any{"phase": phase}}}}
	}
	pod := corev1.Pod{}
	pod.Labels = map[string]string{jobNameLabel: "a"}
	jobs := []unstructured.Unstructured{job("a", "Completed"), job("b", "Pending")}
	cases := []struct {
		shape jobShape
		phase string
		found []string
	}{
		{jobShape{2, 1}, "", []string{"job b has 0 pods, not 1"}},
		{jobShape{3, 1}, "", []string{"there are 2 jobs, not 3", "job b has 0 pods, not 1"}},
		{jobShape{2, 1}, "Completed", []string{"job b has 0 pods, not 1", `job b is "Pending", not Completed`}},
	}
	for _, c := range cases {
		if found := wrongJobs(jobs, []corev1.Pod{pod}, c.shape, c.phase); !slices.Equal(found, c.found) {
			t.Errorf("%v: got %q", c, found)
		}
	}
}

func TestRunsOfOneShapeAreOneColumn(t *testing.T) {
	shapes := byShape([]*JobsResult{{Shape: "1x2", AllBoundS: 3}, {Shape: "2x1", AllBoundS: 9}, {Shape: "1x2", AllBoundS: 1}})
	if len(shapes) != 2 || shapes[1][0].Shape != "2x1" {
		t.Fatalf("got %v", shapes)
	}
	var out strings.Builder
	printJobs(&out, &Params{}, shapes)
	for _, part := range []string{"1.000 (1.000–3.000)", "9.000\n"} {
		if !strings.Contains(out.String(), part) {
			t.Errorf("no %q in\n%s", part, out.String())
		}
	}
	names := map[string]bool{}
	for _, column := range jobsColumns(shapes) {
		if names[column.name] {
			t.Errorf("%q stands twice: in the summary one would hide the other", column.name)
		}
		names[column.name] = true
	}
}
