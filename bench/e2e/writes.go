package main

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// podOwner names what a pod belongs to, both in the namespace of the bench.
type podOwner struct{ job, group string }

// stageWrites is what the audit log says of one stage; the rules stand in jobs.md.
type stageWrites struct {
	calls calls
	// untilBound are the writes by user without those of running.
	untilBound map[string]int
	// whileBinding are those among the writes of running that the server received before the last pod
	// of their job was bound.
	whileBinding int
	others       []otherWrite // The most frequent first.
}

// otherWrite is a kind of writes that is not part of the usual life of a job.
type otherWrite struct {
	User  string `json:"user"`
	Call  string `json:"call"`
	Count int    `json:"count"`
}

// stageReader collects in one pass over the log, whose lines have no order, what is judged at its end.
type stageReader struct {
	owners   map[string]podOwner // By the name of the pod.
	found    *stageWrites
	statuses []statusWrite
	runs     map[string]time.Time // By job or group: when the first of its pods had been set Running.
	bound    map[string]time.Time // And when the last of them had been bound.
	others   map[otherWrite]int   // With no count in the key.
}

type statusWrite struct {
	user, object string
	received     time.Time
}

// readStage reads what some users asked of the server since the beginning of a stage. In a stage
// where nobody sets pods Running, nothing counts as of running.
func readStage(log string, from time.Time, users []string, owners map[string]podOwner) (*stageWrites, error) {
	r := &stageReader{owners: owners, runs: map[string]time.Time{}, bound: map[string]time.Time{},
		found:  &stageWrites{calls: newCalls(users), untilBound: map[string]int{}},
		others: map[otherWrite]int{}}
	if err := readAudit(log, from, r.visit); err != nil {
		return nil, err
	}
	for _, user := range users {
		r.found.untilBound[user] = r.found.calls.writesOf(user)
	}
	for _, write := range r.statuses {
		if since, ok := r.runs[write.object]; ok && !write.received.Before(since) {
			r.found.untilBound[write.user]--
			if write.received.Before(r.bound[write.object]) {
				r.found.whileBinding++
			}
		}
	}
	for kind, count := range r.others {
		r.found.others = append(r.found.others, otherWrite{kind.User, kind.Call, count})
	}
	slices.SortFunc(r.found.others, func(a, b otherWrite) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.User, b.User), cmp.Compare(a.Call, b.Call))
	})
	return r.found, nil
}

func (r *stageReader) visit(line *auditLine) error {
	if line.Object == nil || !isChange(line.Verb) {
		r.found.calls.add(line)
		return nil
	}
	if err := r.notePod(line); err != nil {
		return err
	}
	user := line.User.Username
	if r.found.calls[user] == nil {
		return nil
	}
	r.found.calls.add(line)
	if object := line.statusOf(); object != "" {
		r.statuses = append(r.statuses, statusWrite{user, object, line.received})
	}
	if !r.isUsual(line) {
		call := line.key()
		if line.Object.Resource == "events" {
			call += " (not of a pod)"
		}
		r.others[otherWrite{User: user, Call: call}]++
	}
	return nil
}

// notePod keeps when the server had answered that a pod is bound, or set Running: whoever wrote a
// status before that did not know yet.
func (r *stageReader) notePod(line *auditLine) error {
	starts := line.Object.Subresource == "status" && line.User.Username == kubeletUser
	binds := line.Object.Subresource == "binding"
	owner, known := r.owners[line.Object.Name]
	if line.Object.Resource != "pods" || !starts && !binds || !known || line.isRefused() {
		return nil
	}
	at, err := time.Parse(time.RFC3339Nano, line.Staged)
	if err != nil {
		return err
	}
	for _, object := range []string{objectKey("jobs", owner.job), objectKey("podgroups", owner.group)} {
		if first, ok := r.runs[object]; starts && (!ok || at.Before(first)) {
			r.runs[object] = at
		}
		if binds && at.After(r.bound[object]) {
			r.bound[object] = at
		}
	}
	return nil
}

// isUsual tells the accepted writes without which no job becomes bound pods.
func (r *stageReader) isUsual(line *auditLine) bool {
	if line.isRefused() {
		return false
	}
	if line.statusOf() != "" {
		return true
	}
	o := line.Object
	switch o.Resource + "/" + o.Subresource {
	case "pods/", "podgroups/", "pods/binding":
		return line.Verb == "create"
	case "events/": // An event is called after its object, with a suffix.
		dot := max(strings.LastIndexByte(o.Name, '.'), 0)
		_, isPod := r.owners[o.Name[:dot]]
		return isPod
	}
	return false
}

// statusOf names the Job or PodGroup whose status was written, if so. PodGroups have no status
// subresource, and nothing but their status changes here.
func (l *auditLine) statusOf() string {
	if l.Verb != "patch" && l.Verb != "update" || l.Object.Namespace != namespace {
		return ""
	}
	switch l.Object.Resource + "/" + l.Object.Subresource {
	case "jobs/status", "podgroups/", "podgroups/status":
		return objectKey(l.Object.Resource, l.Object.Name)
	}
	return ""
}

func objectKey(resource, name string) string { return resource + "/" + name }

func (l *auditLine) isRefused() bool { return l.Response.Code >= 400 }
