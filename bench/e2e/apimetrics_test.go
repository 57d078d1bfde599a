package main

import "testing"

func TestWriteKeys(t *testing.T) {
	cases := []struct {
		labels, key string
		isWrite     bool
	}{
		{`code="201",resource="pods",subresource="binding",verb="POST"`, "POST pods/binding", true},
		{`code="200",resource="podgroups",subresource="",verb="PATCH"`, "PATCH podgroups", true},
		{`code="409",resource="pods",subresource="binding",verb="POST"`, "POST pods/binding 409", true},
		{`code="200",resource="pods",subresource="",verb="LIST"`, "", false},
		{`code="200",resource="leases",subresource="",verb="PUT"`, "", false},
	}
	for _, c := range cases {
		key, isWrite := writeKey(parseLabels(c.labels))
		if key != c.key || isWrite != c.isWrite {
			t.Errorf("%s: got %q, %v", c.labels, key, isWrite)
		}
	}
}

func TestDifferencesKeepOnlyWhatGrew(t *testing.T) {
	delta := writes{"a": 3, "b": 2, "c": 1}.since(writes{"a": 1, "b": 2})
	if len(delta) != 2 || delta["a"] != 2 || delta["c"] != 1 || delta.total() != 3 {
		t.Errorf("got %v", delta)
	}
}
