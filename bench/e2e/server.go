package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/yaml"
)

var (
	podGroups   = kind("scheduling.volcano.sh", "v1beta1", "podgroups")
	queues      = kind("scheduling.volcano.sh", "v1beta1", "queues")
	definitions = kind("apiextensions.k8s.io", "v1", "customresourcedefinitions")
)

func kind(group, version, resource string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: group, Version: version, Resource: resource}
}

// server is a fresh API server of one run, with clients for the bench itself.
type server struct {
	dir         string
	kt          *program
	Kubeconfigs map[string]string `json:"kubeconfigs"`
	PIDs        map[string]int    `json:"pids"`
	AuditLog    string            `json:"auditLog"`
	core        kubernetes.Interface
	dynamic     dynamic.Interface
}

// startServer runs "kt up" with its state in memory, where there is a file system in memory.
func startServer(ctx context.Context, p *Params, flags ...string) (*server, error) {
	base := "/dev/shm"
	if info, err := os.Stat(base); err != nil || !info.IsDir() {
		base = ""
	}
	dir, err := os.MkdirTemp(base, "bench-e2e-")
	if err != nil {
		return nil, err
	}
	s := &server{dir: dir}
	state := filepath.Join(dir, "kt")
	kt := filepath.Join(p.KubeBin, "kt")
	argv := append([]string{kt, "up", "--dir", state}, flags...)
	if s.kt, err = startProgram(filepath.Join(dir, "kt.log"), argv...); err != nil {
		return nil, err
	}
	if err = s.awaitReady(ctx, filepath.Join(state, "cluster.json")); err == nil {
		err = s.connect()
	}
	if err != nil {
		s.stop(p.Keep)
		return nil, err
	}
	return s, nil
}

func (s *server) awaitReady(ctx context.Context, description string) error {
	deadline := time.After(2 * time.Minute)
	for {
		if text, err := os.ReadFile(description); err == nil {
			return json.Unmarshal(text, s)
		}
		select {
		case <-s.kt.done:
			return s.kt.failure()
		case <-ctx.Done():
			return ctx.Err()
		case <-deadline:
			return fmt.Errorf("kt is not ready after two minutes; see %s", s.kt.log)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// connect makes clients without a rate limit. Protocol buffers keep the bench's own share of the
// two or three cores small while it reads the watch.
func (s *server) connect() error {
	config, err := clientcmd.BuildConfigFromFlags("", s.Kubeconfigs["admin"])
	if err != nil {
		return err
	}
	config.QPS = -1
	if s.dynamic, err = dynamic.NewForConfig(config); err != nil {
		return err
	}
	typed := rest.CopyConfig(config)
	typed.ContentType = "application/vnd.kubernetes.protobuf"
	s.core, err = kubernetes.NewForConfig(typed)
	return err
}

func (s *server) stop(keep bool) {
	s.kt.stop()
	if keep {
		progress("logs are kept in %s", s.dir)
		return
	}
	os.RemoveAll(s.dir)
}

// installDefinitions creates every CustomResourceDefinition below a folder and waits until pod
// groups and queues are served.
func (s *server) installDefinitions(ctx context.Context, folder string) error {
	count := 0
	err := filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".yaml") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, document := range strings.Split(string(text), "\n---") {
			object := &unstructured.Unstructured{}
			if err := yaml.Unmarshal([]byte(document), &object.Object); err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			if object.GetKind() != "CustomResourceDefinition" {
				continue
			}
			if _, err := s.dynamic.Resource(definitions).Create(ctx, object, metav1.CreateOptions{}); err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			count++
		}
		return nil
	})
	if err != nil {
		return err
	}
	if count == 0 {
		return fmt.Errorf("%s holds no definitions", folder)
	}
	for _, needed := range []schema.GroupVersionResource{podGroups, queues} {
		if err := s.awaitServed(ctx, needed); err != nil {
			return err
		}
	}
	return nil
}

func (s *server) awaitServed(ctx context.Context, kind schema.GroupVersionResource) error {
	deadline := time.Now().Add(30 * time.Second)
	for {
		_, err := s.dynamic.Resource(kind).List(ctx, metav1.ListOptions{Limit: 1})
		if err == nil {
			return nil
		}
		if ctx.Err() != nil || time.Now().After(deadline) {
			return fmt.Errorf("%s is not served: %w", kind.Resource, err)
		}
		time.Sleep(50 * time.Millisecond)
	}
}
