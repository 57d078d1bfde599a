package main

import (
	"errors"
	"flag"
	"time"

	"batholith.dev/tests/kube/cluster"
)

// ctl asks a running "kt up" for one verb on one of its programs.
func ctl(args []string) error {
	flags := flag.NewFlagSet("kt ctl", flag.ExitOnError)
	dir := flags.String("dir", "", "state folder of the running kt")
	patience := flags.Duration("within", 2*time.Minute, "give up when it takes longer")
	flags.Parse(args)
	if *dir == "" || flags.NArg() != 2 {
		return errors.New("usage: kt ctl --dir DIR kill|stop|start|restart PROGRAM")
	}
	return cluster.Send(*dir, cluster.Request{Verb: flags.Arg(0), Program: flags.Arg(1)}, *patience)
}
