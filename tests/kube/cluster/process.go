package cluster

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// process is one program of the cluster. It is started, watched and ended by one goroutine that is
// locked to its thread: the kernel kills the program when the thread that started it ends.
type process struct {
	name    string
	path    string
	args    []string
	log     string
	command *exec.Cmd
	done    chan struct{} // Closed when the program has been reaped.
	stopped bool          // It was ended on purpose.
}

// start runs the program; its output is appended to the log.
func (p *process) start() error {
	log, err := os.OpenFile(p.log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	command := exec.Command(p.path, p.args...)
	command.Stdout, command.Stderr = log, log
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := command.Start(); err != nil {
		return fmt.Errorf("start %s: %w", p.name, err)
	}
	done := make(chan struct{})
	p.command, p.done, p.stopped = command, done, false
	go func() {
		command.Wait() // The exit code says nothing that the log does not say better.
		close(done)
	}()
	return nil
}

func (p *process) running() bool {
	if p.command == nil {
		return false
	}
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}

func (p *process) pid() int {
	if !p.running() {
		return 0
	}
	return p.command.Process.Pid
}

// kill ends the program as a crash would.
func (p *process) kill() {
	p.stopped = true
	if p.running() {
		p.command.Process.Kill()
		<-p.done
	}
}

// terminate asks the program to end, and kills it when it takes longer than patience.
func (p *process) terminate(patience time.Duration) {
	p.stopped = true
	if !p.running() {
		return
	}
	p.command.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.done:
	case <-time.After(patience):
		p.kill()
	}
}

// failure describes an unexpected end with the last lines of the log.
func (p *process) failure() error {
	return fmt.Errorf("%s ended unexpectedly; the end of %s:\n%s", p.name, p.log, tail(p.log, 15))
}

// tail returns the last lines of a file, of which at most the last 16 KiB are read.
func tail(path string, lines int) []byte {
	text, err := os.ReadFile(filepath.Clean(path))
	if err != nil {
		return []byte(err.Error())
	}
	const limit = 16 << 10
	if len(text) > limit {
		text = text[len(text)-limit:]
	}
	parts := bytes.Split(bytes.TrimRight(text, "\n"), []byte("\n"))
	if len(parts) > lines {
		parts = parts[len(parts)-lines:]
	}
	return bytes.Join(parts, []byte("\n"))
}
