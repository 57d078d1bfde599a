package main

import (
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
	counts, err := readCalls(filepath.Join(dir, "audit.log"), from, []string{"scheduler", "controllers"})
	if err != nil {
		t.Fatal(err)
	}
	of := counts["scheduler"]
	if len(counts) != 2 || len(of) != 4 || of["create pods/binding"] != 1 ||
		of["create pods/binding 409"] != 1 || of["watch pods"] != 1 || of["update leases 409"] != 1 {
		t.Errorf("got %v", counts)
	}
	if writes := counts.writesOf("scheduler"); writes != 2 {
		t.Errorf("%d writes, want 2: a binding and one that was refused", writes)
	}
	if _, err := readCalls(filepath.Join(dir, "none.log"), from, nil); err == nil {
		t.Error("a log that is not there was read")
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
