package cluster

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"time"
)

// Request asks the running kt for one verb on one program.
type Request struct {
	Verb    string `json:"verb"`
	Program string `json:"program"`
}

type reply struct {
	Error string `json:"error,omitempty"`
}

type pending struct {
	request Request
	answer  chan error
}

func socketPath(dir string) string { return filepath.Join(dir, "control.sock") }

// Serve carries out requests from the control socket until ctx ends or a program fails.
// It runs on the goroutine that started the programs.
func (c *Cluster) Serve(ctx context.Context) error {
	listener, err := net.Listen("unix", socketPath(c.options.Dir))
	if err != nil {
		return err
	}
	defer listener.Close()
	requests := make(chan pending)
	go accept(ctx, listener, requests)
	ticker := time.NewTicker(200 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case p := <-requests:
			p.answer <- c.Do(ctx, p.request.Verb, p.request.Program)
		case <-ticker.C:
			if err := c.Failure(); err != nil {
				return err
			}
		}
	}
}

func accept(ctx context.Context, listener net.Listener, requests chan<- pending) {
	for {
		connection, err := listener.Accept()
		if err != nil {
			return // The listener was closed.
		}
		go answer(ctx, connection, requests)
	}
}

func answer(ctx context.Context, connection net.Conn, requests chan<- pending) {
	defer connection.Close()
	p := pending{answer: make(chan error, 1)}
	connection.SetReadDeadline(time.Now().Add(5 * time.Second))
	if err := json.NewDecoder(bufio.NewReader(connection)).Decode(&p.request); err != nil {
		return
	}
	select {
	case requests <- p:
	case <-ctx.Done():
		return
	}
	var r reply
	if err := <-p.answer; err != nil {
		r.Error = err.Error()
	}
	json.NewEncoder(connection).Encode(r)
}

// Send asks the kt that owns the state folder, and waits for its answer.
func Send(dir string, request Request, patience time.Duration) error {
	connection, err := net.Dial("unix", socketPath(dir))
	if err != nil {
		return fmt.Errorf("no kt serves %s: %w", dir, err)
	}
	defer connection.Close()
	connection.SetDeadline(time.Now().Add(patience))
	if err := json.NewEncoder(connection).Encode(request); err != nil {
		return err
	}
	var r reply
	if err := json.NewDecoder(connection).Decode(&r); err != nil {
		return fmt.Errorf("%s %s: no answer: %w", request.Verb, request.Program, err)
	}
	if r.Error != "" {
		return errors.New(r.Error)
	}
	return nil
}
