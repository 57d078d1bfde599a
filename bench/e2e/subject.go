package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// subject is a program under measurement and what its pods must look like.
type subject struct {
	name          string
	label         string // Its column: unlike the name, one for each set of circumstances.
	schedulerName string
	gangs         bool // It knows pod groups.
	schedules     bool // It goes on by itself: idleness and single pods can be measured.
	connections   int  // Of bare-client.
	antiAffinity  bool // Pods of a gang avoid each other by host.
	spread        bool // Pods of a gang are spread over zones and hosts.
}

var subjects = map[string]subject{
	"vc-scheduler":   {name: "vc-scheduler", schedulerName: "volcano", gangs: true, schedules: true},
	agent:            {name: agent, schedulerName: "agent-scheduler", schedules: true},
	"kube-scheduler": {name: "kube-scheduler", schedulerName: "default-scheduler", schedules: true},
	"bare-client":    {name: "bare-client", schedulerName: "bare-client"},
	"custom":         {name: "custom", gangs: true, schedules: true},
}

const subjectNames = "vc-scheduler, vc-agent-scheduler, kube-scheduler, bare-client, custom"

func isSubject(name string) bool {
	_, ok := subjects[name]
	return ok
}

func newSubject(name string, p *Params) subject {
	s := subjects[name]
	s.label = name
	if name == "custom" {
		s.schedulerName = p.CustomName
	}
	return s
}

const (
	antiAffinityMark = "+anti-affinity"
	spreadMark       = "+spread"
)

// columns lists what is measured, in order: each scheduler, then with what pods ask of each other's
// places; bare-client, which decides nothing, with each number of connections instead.
func (p *Params) columns() []subject {
	var columns []subject
	for _, name := range p.Subjects {
		plain := newSubject(name, p)
		if name == "bare-client" {
			for _, count := range p.Connections {
				bare := plain
				bare.connections = count
				if len(p.Connections) > 1 {
					bare.label = fmt.Sprintf("%s/%d", name, count)
				}
				columns = append(columns, bare)
			}
			continue
		}
		columns = append(columns, plain)
		if p.AntiAffinity {
			avoiding := plain
			avoiding.label, avoiding.antiAffinity = name+antiAffinityMark, true
			columns = append(columns, avoiding)
		}
		if p.Spread {
			spread := plain
			spread.label, spread.spread = name+spreadMark, true
			columns = append(columns, spread)
		}
	}
	return columns
}

// kubeSchedulerConf lifts the client's rate limit, which would otherwise be what is measured.
const kubeSchedulerConf = `apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
leaderElection: {leaderElect: false}
clientConnection: {kubeconfig: %q, qps: 10000, burst: 10000}
`

// The lease of a pair, with times short enough for a measurement.
const leaseNamespace, leaseName = "default", "bench-standby"

var electionFlags = []string{"--leader-elect=true", "--leader-elect-resource-name", leaseName,
	"--leader-elect-resource-namespace", leaseNamespace, "--leader-elect-lease-duration=4s",
	"--leader-elect-renew-deadline=3s", "--leader-elect-retry-period=500ms"}

// start runs the subject against the server; `role` tells its log from those of others.
func (s subject) start(p *Params, on *server, role string) (*program, error) {
	argv, err := s.commandLine(p, on)
	if err != nil {
		return nil, err
	}
	return startProgram(filepath.Join(on.dir, s.name+role+".log"), argv...)
}

func (s subject) commandLine(p *Params, on *server) ([]string, error) {
	kubeconfig := on.Kubeconfigs["scheduler"]
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	second, err := freePort()
	if err != nil {
		return nil, err
	}
	switch s.name {
	case "kube-scheduler":
		conf := filepath.Join(on.dir, "kube-scheduler.yaml")
		if err := os.WriteFile(conf, fmt.Appendf(nil, kubeSchedulerConf, kubeconfig), 0o600); err != nil {
			return nil, err
		}
		return []string{filepath.Join(p.KubeBin, s.name), "--config", conf,
			"--bind-address", "127.0.0.1", "--secure-port", strconv.Itoa(port),
			"--cert-dir", filepath.Join(on.dir, "kube-scheduler-certs"), "--profiling=false"}, nil
	case "bare-client":
		self, err := os.Executable()
		if err != nil {
			return nil, err
		}
		return []string{self, bareCommand, kubeconfig, strconv.Itoa(s.connections)}, nil
	case "custom":
		line := strings.ReplaceAll(p.Custom, "{kubeconfig}", kubeconfig)
		line = strings.ReplaceAll(line, "{port}", strconv.Itoa(port))
		// exec: the process whose CPU is read shall be the program, not a shell.
		return []string{"/bin/sh", "-c", "exec " + line}, nil
	}
	argv := []string{filepath.Join(p.Bin, s.name), "--kubeconfig", kubeconfig,
		"--listen-address", "127.0.0.1:" + strconv.Itoa(port), "--enable-metrics",
		"--healthz-address", "127.0.0.1:" + strconv.Itoa(second), "--enable-healthz"}
	if p.Standby {
		argv = append(argv, electionFlags...)
	} else {
		argv = append(argv, "--leader-elect=false")
	}
	if s.name == agent {
		return append(argv, "--scheduler-worker-count", strconv.Itoa(p.Workers)), nil
	}
	if p.Conf != "" {
		argv = append(argv, "--scheduler-conf", p.Conf)
	}
	return argv, nil
}
