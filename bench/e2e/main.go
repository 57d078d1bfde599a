// The end-to-end comparison of schedulers on a real Kubernetes API server; see README.md.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"
)

func main() {
	if len(os.Args) == 4 && os.Args[1] == bareCommand {
		exit(runBare(os.Args[2:]))
	}
	// Child processes die with the thread that started them.
	runtime.LockOSThread()
	p, err := parseParams(os.Args[1:])
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench/e2e:", err)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if len(p.Shapes) > 0 {
		exit(compareJobs(ctx, p))
	}
	if p.Admission {
		exit(compareAdmission(ctx, p))
	}
	exit(compare(ctx, p))
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench/e2e:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

func progress(format string, args ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", args...)
}

// compare measures the subjects in turn, so that a slow moment of the machine meets all of them.
// Standard output has one JSON line per run and one for all of them; tables go to standard error.
func compare(ctx context.Context, p *Params) error {
	made := newStamp(p)
	c := newComparison(p, made)
	var failures []error
	for repeat := p.firstRepeat(); repeat <= p.Repeat; repeat++ {
		for _, s := range p.columns() {
			result, err := measure(ctx, p, s)
			if err != nil {
				return fmt.Errorf("%s: %w", s.label, err)
			}
			result.Commit, result.Repeat, result.Discarded = made.Commit, repeat, repeat == 0
			progress("%s", result.describe())
			if err := printJSON(result); err != nil {
				return err
			}
			c.add(result)
			failures = append(failures, judge(result))
		}
	}
	c.print(os.Stderr)
	return errors.Join(append(failures, printJSON(map[string]any{"summary": c.summary()}))...)
}

// firstRepeat is 0 where one more than asked for is made and thrown away.
func (p *Params) firstRepeat() int {
	if p.Repeat > 1 && p.DiscardFirst {
		return 0
	}
	return 1
}

func printJSON(value any) error {
	line, err := json.Marshal(value)
	if err == nil {
		fmt.Println(string(line))
	}
	return err
}

// judge makes the command fail when the run shows something that must not be.
func judge(r *Result) error {
	if r.TimedOut {
		return fmt.Errorf("%s: only %d of %d pods were bound in time", r.Column, r.Bound, r.Pods)
	}
	if len(r.Violations) > 0 {
		return fmt.Errorf("%s: %d violations, the first: %s", r.Column, len(r.Violations), r.Violations[0])
	}
	return nil
}
