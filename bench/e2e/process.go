package main

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// usage is what a process has used since its start.
type usage struct {
	cpu      float64 // Seconds.
	resident float64 // Memory resident now (VmRSS), MiB; 0 after the end.
	peak     float64 // Most memory ever resident (VmHWM), MiB.
}

// ticksPerSecond is the unit of /proc/PID/stat, which Linux fixes for user space.
const ticksPerSecond = 100

// usageOf reads /proc; a process that is gone has used nothing.
func usageOf(pid int) usage {
	var u usage
	if pid == 0 {
		return u
	}
	if text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err == nil {
		// The name in parentheses may hold blanks; the fields after it do not.
		fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
		user, _ := strconv.ParseFloat(fields[11], 64)
		system, _ := strconv.ParseFloat(fields[12], 64)
		u.cpu = (user + system) / ticksPerSecond
	}
	if text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid)); err == nil {
		u.resident, u.peak = statusMiB(string(text), "VmRSS:"), statusMiB(string(text), "VmHWM:")
	}
	return u
}

// statusMiB reads one size of /proc/PID/status, which has them in KiB; 0 when it is not there.
func statusMiB(text, name string) float64 {
	for line := range strings.Lines(text) {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == name {
			kib, _ := strconv.ParseFloat(fields[1], 64)
			return kib / 1024
		}
	}
	return 0
}

// program is a child process with a log file; it dies with us.
type program struct {
	command *exec.Cmd
	log     string
	done    chan struct{}
}

func startProgram(log string, argv ...string) (*program, error) {
	file, err := os.Create(log)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	command := exec.Command(argv[0], argv[1:]...)
	command.Stdout, command.Stderr = file, file
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", argv[0], err)
	}
	p := &program{command: command, log: log, done: make(chan struct{})}
	go func() {
		command.Wait()
		close(p.done)
	}()
	return p, nil
}

func (p *program) pid() int { return p.command.Process.Pid }

// usage is exact to the last tick also after the process has ended.
func (p *program) usage() usage {
	select {
	case <-p.done:
	default:
		return usageOf(p.pid())
	}
	state := p.command.ProcessState
	u := usage{cpu: (state.UserTime() + state.SystemTime()).Seconds()}
	if resources, ok := state.SysUsage().(*syscall.Rusage); ok {
		u.peak = float64(resources.Maxrss) / 1024
	}
	return u
}

// quietFor is longer than what a busy scheduler puts off: statuses and events wait for bindings, and
// then up to a second for more of their kind.
const quietFor = 5

// awaitQuiet waits for as many seconds in a row in each of which the process has used at most two
// hundredths of a core and isBusy had nothing to tell, or until the process has ended. False: it was
// still at work when patience was over.
func awaitQuiet(p *program, patience time.Duration, isBusy func() bool) bool {
	deadline := time.Now().Add(patience)
	for quiet := 0; quiet < quietFor; {
		if time.Now().After(deadline) {
			return false
		}
		before := p.usage().cpu
		select {
		case <-p.done:
			return true
		case <-time.After(time.Second):
		}
		if isBusy() || p.usage().cpu-before > 0.02 {
			quiet = 0
		} else {
			quiet++
		}
	}
	return true
}

func (p *program) stop() {
	p.command.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.done:
	case <-time.After(10 * time.Second):
		p.command.Process.Kill()
		<-p.done
	}
}

// kill ends the process without a chance to clean up.
func (p *program) kill() {
	p.command.Process.Kill()
	<-p.done
}

// failure tells how the log ends.
func (p *program) failure() error {
	text, _ := os.ReadFile(p.log)
	if len(text) > 3000 {
		text = text[len(text)-3000:]
	}
	return fmt.Errorf("%s ended by itself (%v); its log ends with:\n%s", p.command.Path,
		p.command.ProcessState, text)
}

func freePort() (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port, nil
}
