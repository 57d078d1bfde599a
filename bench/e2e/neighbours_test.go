package main

import "testing"

func TestBusyCPULeavesOutIdleCores(t *testing.T) {
	const text = "cpu  100 200 300 9000 8000 10 20 30 7000 6000\ncpu0 1 1 1 1 1 1 1 1 1 1\n"
	if got, err := parseBusyCPU(text); err != nil || got != (busyCPU{all: 6.6, stolen: 0.3}) {
		t.Errorf("got %+v, %v", got, err)
	}
	for _, bad := range []string{"", "cpu 1 2 3", "intr 1 2 3 4 5 6 7 8", "cpu 1 2 3 4 5 6 7 x"} {
		if _, err := parseBusyCPU(bad); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
	if busy, err := readBusyCPU(); err != nil || busy.all <= 0 {
		t.Errorf("this machine: %+v, %v", busy, err)
	}
}
