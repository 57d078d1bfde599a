package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// bareCommand is the first argument that makes this program the bare client.
const bareCommand = "bare-client"

// bareClient binds every pending pod of the bench to some node, in turn, as fast as the server
// takes it: the upper limit for any scheduler. Like one, it reads the watch of the pods meanwhile.
type bareClient struct {
	http   *http.Client
	server string
}

func runBare(args []string) error {
	connections, err := strconv.Atoi(args[1])
	if err != nil || connections < 1 {
		return fmt.Errorf("connections: %q is not a positive number", args[1])
	}
	config, err := clientcmd.BuildConfigFromFlags("", args[0])
	if err != nil {
		return err
	}
	client, err := newBareClient(config, connections)
	if err != nil {
		return err
	}
	nodes, _, err := client.names("/api/v1/nodes")
	if err != nil {
		return err
	}
	selector := "?labelSelector=" + roleLabel + "=" + pendingRole
	pods, version, err := client.names("/api/v1/namespaces/" + namespace + "/pods" + selector)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go client.readWatch(ctx, version)
	return client.bindAll(pods, nodes, connections)
}

// newBareClient keeps its connections alive; HTTP/1.1, one request at a time on each.
func newBareClient(config *rest.Config, connections int) (*bareClient, error) {
	tlsConfig, err := rest.TLSConfigFor(config)
	if err != nil {
		return nil, err
	}
	transport := &http.Transport{
		TLSClientConfig:     tlsConfig,
		TLSNextProto:        map[string]func(string, *tls.Conn) http.RoundTripper{},
		MaxIdleConnsPerHost: connections + 2,
		MaxConnsPerHost:     connections + 2,
	}
	wrapped, err := rest.HTTPWrappersForConfig(config, transport)
	if err != nil {
		return nil, err
	}
	return &bareClient{http: &http.Client{Transport: wrapped}, server: config.Host}, nil
}

// names lists the names of a collection and its version.
func (c *bareClient) names(path string) ([]string, string, error) {
	response, err := c.http.Get(c.server + path)
	if err != nil {
		return nil, "", err
	}
	defer response.Body.Close()
	var list struct {
		Metadata struct{ ResourceVersion string }
		Items    []struct{ Metadata struct{ Name string } }
	}
	if err := json.NewDecoder(response.Body).Decode(&list); err != nil {
		return nil, "", fmt.Errorf("GET %s: HTTP %d: %w", path, response.StatusCode, err)
	}
	if len(list.Items) == 0 {
		return nil, "", fmt.Errorf("GET %s: HTTP %d, nothing there", path, response.StatusCode)
	}
	names := make([]string, 0, len(list.Items))
	for _, item := range list.Items {
		names = append(names, item.Metadata.Name)
	}
	return names, list.Metadata.ResourceVersion, nil
}

func (c *bareClient) readWatch(ctx context.Context, version string) {
	path := "/api/v1/namespaces/" + namespace + "/pods?watch=1&resourceVersion=" + version
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.server+path, nil)
	if err != nil {
		return
	}
	if response, err := c.http.Do(request); err == nil {
		io.Copy(io.Discard, response.Body)
		response.Body.Close()
	}
}

func (c *bareClient) bindAll(pods, nodes []string, connections int) error {
	var next atomic.Int64
	var group sync.WaitGroup
	failures := make(chan error, connections)
	for range connections {
		group.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(pods) {
					return
				}
				if err := c.bind(pods[i], nodes[i%len(nodes)]); err != nil {
					failures <- err
					return
				}
			}
		})
	}
	group.Wait()
	close(failures)
	return <-failures
}

func (c *bareClient) bind(pod, node string) error {
	body := fmt.Sprintf(`{"apiVersion":"v1","kind":"Binding","metadata":{"name":%q},`+
		`"target":{"apiVersion":"v1","kind":"Node","name":%q}}`, pod, node)
	path := c.server + "/api/v1/namespaces/" + namespace + "/pods/" + pod + "/binding"
	response, err := c.http.Post(path, "application/json", bytes.NewBufferString(body))
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusCreated {
		err = fmt.Errorf("bind %s: HTTP %d: %s", pod, response.StatusCode, text)
	}
	return err
}
