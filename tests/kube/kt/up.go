package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"batholith.dev/tests/kube/cluster"
)

// up starts a cluster, says so on one line, and runs it until a signal or the end of standard input.
func up(args []string) error {
	var options cluster.Options
	flags := flag.NewFlagSet("kt up", flag.ExitOnError)
	flags.StringVar(&options.Bin, "bin", "", "folder of the programs (default: that of kt)")
	flags.StringVar(&options.Dir, "dir", "", "state folder (default: a new one in memory, removed at the end)")
	flags.BoolVar(&options.ControllerManager, "kcm", false, "also run kube-controller-manager")
	flags.BoolVar(&options.Audit, "audit", false, "write audit.log, one line per request")
	flags.StringVar(&options.FeatureGates, "feature-gates", "", "for kube-apiserver")
	flags.StringVar(&options.RuntimeConfig, "runtime-config", "", "for kube-apiserver")
	flags.DurationVar(&options.ReadyWithin, "ready-within", 90*time.Second, "give up when it takes longer")
	untilEOF := flags.Bool("until-stdin-closes", false,
		"end when standard input ends, as it does when the caller dies")
	flags.Parse(args)
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if options.Bin == "" {
		self, err := os.Executable()
		if err != nil {
			return err
		}
		options.Bin = filepath.Dir(self)
	}
	var err error
	if options.Dir == "" {
		if options.Dir, err = cluster.DefaultDir(); err != nil {
			return err
		}
		defer os.RemoveAll(options.Dir)
	}
	// The paths are written into kubeconfigs and given to programs with folders of their own.
	if options.Dir, err = filepath.Abs(options.Dir); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if *untilEOF {
		go func() {
			io.Copy(io.Discard, os.Stdin)
			stop()
		}()
	}
	begin := time.Now()
	c, err := cluster.Start(ctx, options)
	if err != nil {
		return err
	}
	defer c.Stop()
	fmt.Printf("ready after %.1f s: %s, state in %s\n", time.Since(begin).Seconds(), c.Server(), options.Dir)
	return c.Serve(ctx)
}
