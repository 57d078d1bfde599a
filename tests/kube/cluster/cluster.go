package cluster

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

// Cluster is a running etcd and kube-apiserver. All methods belong to one goroutine.
type Cluster struct {
	options     Options
	ports       ports
	credentials *credentials
	processes   []*process // In the order of their start.
}

// Description is what others need to know; it is kept in cluster.json of the state folder, which
// appears only when the cluster is ready.
type Description struct {
	Server      string            `json:"server"`
	Kubeconfigs map[string]string `json:"kubeconfigs"`
	PIDs        map[string]int    `json:"pids"` // 0: not running.
	AuditLog    string            `json:"auditLog,omitempty"`
}

// attempts to start with other ports, when somebody was quicker to take one.
const attempts = 3

// Start returns when the API server is ready, or tells why it is not.
func Start(ctx context.Context, options Options) (*Cluster, error) {
	if err := prepareDir(options.Dir); err != nil {
		return nil, fmt.Errorf("state folder: %w", err)
	}
	c := &Cluster{options: options}
	var err error
	if c.credentials, err = newCredentials(filepath.Join(options.Dir, "pki")); err != nil {
		return nil, err
	}
	if options.Audit {
		if err := os.WriteFile(c.auditPolicy(), []byte(auditPolicyText), 0o600); err != nil {
			return nil, err
		}
	}
	for i := 0; i < attempts; i++ {
		if err = c.startPrograms(ctx); err == nil {
			return c, c.writeDescription()
		}
		c.Stop()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err := os.RemoveAll(filepath.Join(options.Dir, "etcd")); err != nil {
			return nil, err
		}
	}
	return nil, err
}

func (c *Cluster) startPrograms(ctx context.Context) error {
	var err error
	if c.ports, err = choosePorts(); err != nil {
		return err
	}
	if err := c.credentials.writeKubeconfigs(c.Server()); err != nil {
		return err
	}
	c.processes = []*process{c.etcdProcess(), c.apiServerProcess()}
	for _, p := range c.processes {
		if err := p.start(); err != nil {
			return err
		}
	}
	if err := c.WaitReady(ctx); err != nil {
		return err
	}
	if c.options.ControllerManager {
		manager := c.controllerManagerProcess()
		c.processes = append(c.processes, manager)
		return manager.start()
	}
	return nil
}

// Server is the address of the API server; it stays the same over restarts.
func (c *Cluster) Server() string { return loopback("https", c.ports.api) }

// Stop ends all programs, last started first.
func (c *Cluster) Stop() {
	for i := len(c.processes) - 1; i >= 0; i-- {
		c.processes[i].kill()
	}
}

// WaitReady polls /readyz until it says ok; it fails early when a program has ended.
func (c *Cluster) WaitReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, c.options.ReadyWithin)
	defer cancel()
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(c.credentials.caPEM)
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport, Timeout: 5 * time.Second}
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for {
		if c.isReady(ctx, client) {
			return nil
		}
		if err := c.Failure(); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			log := filepath.Join(c.options.Dir, APIServer+".log")
			return fmt.Errorf("%s is not ready after %v; the end of %s:\n%s", APIServer,
				c.options.ReadyWithin, log, tail(log, 15))
		case <-ticker.C:
		}
	}
}

func (c *Cluster) isReady(ctx context.Context, client *http.Client) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.Server()+"/readyz", nil)
	if err != nil {
		return false
	}
	request.Header.Set("Authorization", "Bearer "+c.credentials.tokens["admin"])
	response, err := client.Do(request)
	if err != nil {
		return false
	}
	defer response.Body.Close()
	io.Copy(io.Discard, io.LimitReader(response.Body, 1<<20))
	return response.StatusCode == http.StatusOK
}

// Failure reports a program that ended though nobody asked it to.
func (c *Cluster) Failure() error {
	var failures []error
	for _, p := range c.processes {
		if p.command != nil && !p.running() && !p.stopped {
			failures = append(failures, p.failure())
		}
	}
	return errors.Join(failures...)
}

// Do carries out one verb on one program: kill (as a crash), stop (in order), start or restart.
// After start and restart of the API server it returns when that is ready again.
func (c *Cluster) Do(ctx context.Context, verb, name string) error {
	var target *process
	for _, p := range c.processes {
		if p.name == name {
			target = p
		}
	}
	if target == nil {
		return fmt.Errorf("no program %q in this cluster", name)
	}
	switch verb {
	case "kill":
		target.kill()
	case "stop":
		target.terminate(20 * time.Second)
	case "start", "restart":
		if verb == "restart" {
			target.kill()
		}
		if target.running() {
			return fmt.Errorf("%s is running already", name)
		}
		if err := target.start(); err != nil {
			return err
		}
		if err := c.WaitReady(ctx); err != nil {
			return err
		}
	default:
		return fmt.Errorf("unknown verb %q: use kill, stop, start or restart", verb)
	}
	return c.writeDescription()
}

// Describe says how to reach the cluster.
func (c *Cluster) Describe() Description {
	d := Description{Server: c.Server(), Kubeconfigs: map[string]string{}, PIDs: map[string]int{}}
	for _, user := range Users {
		d.Kubeconfigs[user] = c.credentials.kubeconfig(user)
	}
	for _, p := range c.processes {
		d.PIDs[p.name] = p.pid()
	}
	if c.options.Audit {
		d.AuditLog = filepath.Join(c.options.Dir, "audit.log")
	}
	return d
}

// writeDescription replaces cluster.json in one step, so that readers never see half of it.
func (c *Cluster) writeDescription() error {
	text, err := json.MarshalIndent(c.Describe(), "", "  ")
	if err != nil {
		return err
	}
	path := filepath.Join(c.options.Dir, "cluster.json")
	if err := os.WriteFile(path+".new", append(text, '\n'), 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}
