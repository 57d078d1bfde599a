package main

import (
	"os"
	"testing"
)

func TestSizesAreReadFromTheStatusOfAProcess(t *testing.T) {
	text := "Name:\tVmRSS: 7 kB\nVmHWM:\t    2048 kB\nVmRSS:\t     512 kB\n"
	if peak, now := statusMiB(text, "VmHWM:"), statusMiB(text, "VmRSS:"); peak != 2 || now != 0.5 {
		t.Errorf("got %g and %g", peak, now)
	}
	if u := usageOf(os.Getpid()); u.resident <= 0 || u.peak < u.resident {
		t.Errorf("got %+v", u)
	}
	if u := usageOf(0); u != (usage{}) {
		t.Errorf("nobody used %+v", u)
	}
}
