// kt runs a real Kubernetes API server for tests and measurements.
package main

import (
	"fmt"
	"os"
	"runtime"
)

const usage = `usage:
  kt up  [--dir DIR] [--kcm] [--audit] …   start etcd and kube-apiserver, run until signalled
  kt ctl --dir DIR VERB PROGRAM            kill, stop, start or restart a program of a running kt

"kt up --help" and "kt ctl --help" list the flags.
`

func init() {
	// Programs die with the thread that started them; see cluster.process.
	runtime.LockOSThread()
}

func main() {
	if len(os.Args) < 2 {
		fmt.Fprint(os.Stderr, usage)
		os.Exit(2)
	}
	var err error
	switch os.Args[1] {
	case "up":
		err = up(os.Args[2:])
	case "ctl":
		err = ctl(os.Args[2:])
	case "help", "-h", "--help":
		fmt.Print(usage)
	default:
		fmt.Fprintf(os.Stderr, "kt: unknown command %q\n%s", os.Args[1], usage)
		os.Exit(2)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "kt:", err)
		os.Exit(1)
	}
}
