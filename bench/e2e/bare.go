package main

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// bareCommand is the first argument that makes this program the bare client.
const bareCommand = "bare-client"

// bareClient binds every pending pod of the bench to some node, in turn, as fast as the server
// takes it: the upper limit for any scheduler. Like one, it reads the watch of the pods meanwhile.
// It does nothing else: names are read without the rest of the objects, requests are built before
// the first is sent, and of an answer only the status is looked at.
type bareClient struct {
	address string
	tls     *tls.Config
	token   string
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
	client, err := newBareClient(config)
	if err != nil {
		return err
	}
	return client.run(connections)
}

func newBareClient(config *rest.Config) (*bareClient, error) {
	host, err := url.Parse(config.Host)
	if err != nil {
		return nil, err
	}
	tlsConfig, err := rest.TLSConfigFor(config)
	if err != nil {
		return nil, err
	}
	if tlsConfig == nil || config.BearerToken == "" {
		return nil, fmt.Errorf("%s: the bare client needs TLS and a token", config.Host)
	}
	return &bareClient{address: host.Host, tls: tlsConfig, token: config.BearerToken}, nil
}

// run opens all connections while it reads what there is to bind.
func (c *bareClient) run(connections int) error {
	var pool []*bareConnection
	dialed := make(chan error, 1)
	go func() {
		var err error
		pool, err = c.dialAll(connections)
		dialed <- err
	}()
	nodes, _, err := c.names("/api/v1/nodes", "")
	if err != nil {
		return err
	}
	pods, version, err := c.names(podsPath, "?labelSelector="+roleLabel+"="+pendingRole)
	if err != nil {
		return err
	}
	watch, err := c.watch(version)
	if err != nil {
		return err
	}
	defer watch.Close()
	requests := make([][]byte, len(pods))
	for i, pod := range pods {
		if requests[i], err = c.binding(pod, nodes[i%len(nodes)]); err != nil {
			return err
		}
	}
	if err := <-dialed; err != nil {
		return err
	}
	return sendAll(requests, pool)
}

const (
	podsPath       = "/api/v1/namespaces/" + namespace + "/pods"
	protobuf       = "application/vnd.kubernetes.protobuf"
	protobufPrefix = "k8s\x00"
)

func (c *bareClient) dialAll(connections int) ([]*bareConnection, error) {
	pool := make([]*bareConnection, connections)
	err := inParallel(connections, func(i int) error {
		connection, err := c.dial()
		pool[i] = connection
		return err
	})
	return pool, err
}

// names lists the names of a collection and its version. The server sends nothing but metadata.
func (c *bareClient) names(path, query string) ([]string, string, error) {
	connection, err := c.dial()
	if err != nil {
		return nil, "", err
	}
	defer connection.Close()
	body, err := connection.get(c.head("GET", path+query, protobuf+";as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"))
	if err != nil {
		return nil, "", fmt.Errorf("GET %s: %w", path, err)
	}
	defer body.Close()
	text, err := io.ReadAll(body)
	if err != nil {
		return nil, "", fmt.Errorf("GET %s: %w", path, err)
	}
	var unknown runtime.Unknown
	var list metav1.PartialObjectMetadataList
	if len(text) < len(protobufPrefix) || string(text[:len(protobufPrefix)]) != protobufPrefix {
		return nil, "", fmt.Errorf("GET %s: not protocol buffers", path)
	}
	if err = unknown.Unmarshal(text[len(protobufPrefix):]); err == nil {
		err = list.Unmarshal(unknown.Raw)
	}
	if err != nil {
		return nil, "", fmt.Errorf("GET %s: %w", path, err)
	}
	if len(list.Items) == 0 {
		return nil, "", fmt.Errorf("GET %s: nothing there", path)
	}
	names := make([]string, len(list.Items))
	for i, item := range list.Items {
		names[i] = item.Name
	}
	return names, list.ResourceVersion, nil
}

// watch reads what happens to the pods and forgets it, until the connection is closed.
func (c *bareClient) watch(version string) (io.Closer, error) {
	connection, err := c.dial()
	if err != nil {
		return nil, err
	}
	body, err := connection.get(c.head("GET", podsPath+"?watch=1&resourceVersion="+version, protobuf+";stream=watch"))
	if err != nil {
		connection.Close()
		return nil, fmt.Errorf("watch pods: %w", err)
	}
	go io.Copy(io.Discard, body)
	return connection, nil
}

// head is a request without a body.
func (c *bareClient) head(method, target, accept string) []byte {
	return fmt.Appendf(nil, "%s %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nAccept: %s\r\n\r\n",
		method, target, c.address, c.token, accept)
}

// binding is the whole request that binds a pod.
func (c *bareClient) binding(pod, node string) ([]byte, error) {
	binding := corev1.Binding{ObjectMeta: metav1.ObjectMeta{Name: pod, Namespace: namespace},
		Target: corev1.ObjectReference{APIVersion: "v1", Kind: "Node", Name: node}}
	raw, err := binding.Marshal()
	if err != nil {
		return nil, err
	}
	unknown := runtime.Unknown{TypeMeta: runtime.TypeMeta{APIVersion: "v1", Kind: "Binding"}, Raw: raw}
	body, err := unknown.Marshal()
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, "POST %s/%s/binding HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n"+
		"Accept: %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s%s", podsPath, pod, c.address, c.token,
		protobuf, protobuf, len(protobufPrefix)+len(body), protobufPrefix, body), nil
}

// sendAll sends each request on whichever connection is free; the first failure ends it.
func sendAll(requests [][]byte, pool []*bareConnection) error {
	var next atomic.Int64
	var group sync.WaitGroup
	failures := make(chan error, len(pool))
	for _, connection := range pool {
		group.Go(func() {
			defer connection.Close()
			for {
				i := int(next.Add(1)) - 1
				if i >= len(requests) {
					return
				}
				if err := connection.post(requests[i]); err != nil {
					failures <- err
					next.Store(int64(len(requests)))
					return
				}
			}
		})
	}
	group.Wait()
	close(failures)
	return <-failures
}

// bareConnection carries one request at a time, HTTP/1.1 over TLS.
type bareConnection struct {
	net.Conn
	reader *bufio.Reader
}

func (c *bareClient) dial() (*bareConnection, error) {
	connection, err := tls.Dial("tcp", c.address, c.tls)
	if err != nil {
		return nil, err
	}
	return &bareConnection{connection, bufio.NewReader(connection)}, nil
}

// get returns the body of an answer that may be long or without end.
func (c *bareConnection) get(request []byte) (io.ReadCloser, error) {
	if _, err := c.Write(request); err != nil {
		return nil, err
	}
	response, err := http.ReadResponse(c.reader, nil)
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(response.Body, 1<<10))
		return nil, fmt.Errorf("HTTP %d: %q", response.StatusCode, text)
	}
	return response.Body, nil
}

// post sends what creates something and skips the answer, which is short and has its length stated.
func (c *bareConnection) post(request []byte) error {
	if _, err := c.Write(request); err != nil {
		return err
	}
	answer, err := readAnswer(c.reader)
	if err != nil {
		return err
	}
	if answer.status != http.StatusCreated {
		text, _ := io.ReadAll(io.LimitReader(c.reader, int64(answer.length)))
		line, _, _ := strings.Cut(string(request), "\r\n")
		return fmt.Errorf("%s: HTTP %d: %q", line, answer.status, text)
	}
	_, err = c.reader.Discard(answer.length)
	return err
}
