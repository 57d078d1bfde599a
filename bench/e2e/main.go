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
// Standard output has one JSON line per run and nothing else; the table goes to standard error.
func compare(ctx context.Context, p *Params) error {
	var results []*Result
	var failures []error
	for repeat := 1; repeat <= p.Repeat; repeat++ {
		for _, name := range p.Subjects {
			result, err := measure(ctx, p, name, repeat)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			progress("%s", result.describe())
			line, err := json.Marshal(result)
			if err != nil {
				return err
			}
			fmt.Println(string(line))
			results = append(results, result)
			failures = append(failures, judge(result))
		}
	}
	printTable(os.Stderr, p, results)
	return errors.Join(failures...)
}

// judge makes the command fail when the run shows something that must not be.
func judge(r *Result) error {
	if r.TimedOut {
		return fmt.Errorf("%s: only %d of %d pods were bound in time", r.Subject, r.Bound, r.Pods)
	}
	if len(r.Violations) > 0 {
		return fmt.Errorf("%s: %d violations, the first: %s", r.Subject, len(r.Violations), r.Violations[0])
	}
	return nil
}
