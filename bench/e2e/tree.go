package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// stamp says where and when figures come from.
type stamp struct {
	Commit  string   `json:"commit"` // Of the tree, with -dirty when it differs from it.
	Date    string   `json:"date"`
	Machine string   `json:"machine"`
	Args    []string `json:"args"`
}

func newStamp(p *Params) stamp {
	return stamp{Commit: commitOf(p.Root), Date: time.Now().UTC().Format(time.DateOnly),
		Machine: machine(), Args: p.Args}
}

// commitOf names the commit that a folder has checked out; "unknown" where git knows none.
func commitOf(folder string) string {
	git := func(args ...string) ([]byte, error) {
		return exec.Command("git", append([]string{"-C", folder}, args...)...).Output()
	}
	commit, err := git("rev-parse", "--short=12", "HEAD")
	if err != nil {
		return "unknown"
	}
	name := strings.TrimSpace(string(commit))
	// New files count: the build takes in sources that git does not know yet.
	if changes, err := git("status", "--porcelain"); err != nil || len(bytes.TrimSpace(changes)) > 0 {
		name += "-dirty"
	}
	return name
}

// machine names the processor and how many cores there are.
func machine() string {
	model := "unknown processor"
	text, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			model = strings.TrimSpace(value)
			break
		}
	}
	return fmt.Sprintf("%s, %d cores", model, runtime.NumCPU())
}
