// Package cluster runs a real etcd and kube-apiserver on loopback, for tests and measurements.
package cluster

import (
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// Names of the programs, which are also the names of their log files.
const (
	Etcd              = "etcd"
	APIServer         = "kube-apiserver"
	ControllerManager = "kube-controller-manager"
)

// Options says what to start. All ports are chosen by the kernel.
type Options struct {
	Bin               string        // Folder of the programs.
	Dir               string        // State folder; created, and emptied when it was one of ours.
	ControllerManager bool          // Also run kube-controller-manager.
	FeatureGates      string        // Passed on to kube-apiserver.
	RuntimeConfig     string        // Passed on to kube-apiserver.
	Audit             bool          // Write one JSON line per request to audit.log.
	ReadyWithin       time.Duration // How long kube-apiserver may take until it is ready.
}

// marker lies in every state folder, so that a mistyped --dir never empties a stranger's folder.
const marker = ".batholith-kt"

// prepareDir creates the state folder, or empties the one of an earlier run.
func prepareDir(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	if len(entries) > 0 {
		if _, err := os.Stat(filepath.Join(dir, marker)); err != nil {
			return fmt.Errorf("%s is neither empty nor a state folder of kt; choose another --dir", dir)
		}
		for _, entry := range entries {
			if err := os.RemoveAll(filepath.Join(dir, entry.Name())); err != nil {
				return err
			}
		}
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, marker), nil, 0o600)
}

// DefaultDir is a fresh folder in memory where there is one, else among the temporary files.
func DefaultDir() (string, error) {
	base := "/dev/shm"
	if info, err := os.Stat(base); err != nil || !info.IsDir() {
		base = os.TempDir()
	}
	return os.MkdirTemp(base, "kt-")
}
