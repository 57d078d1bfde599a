package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
)

// bareServer knows two nodes and some pods, and refuses to bind one of them when told to.
type bareServer struct {
	pods   []string
	refuse string

	mutex   sync.Mutex
	bound   []string // POD>NODE
	watched bool
}

func (s *bareServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "Bearer secret" {
		http.Error(w, "who are you", http.StatusUnauthorized)
		return
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	switch {
	case r.URL.Query().Get("watch") != "":
		s.watched = r.URL.Query().Get("resourceVersion") == "7"
		w.WriteHeader(http.StatusOK)
		http.NewResponseController(w).Flush()
	case r.URL.Path == "/api/v1/nodes":
		w.Write(metadataList("n0", "n1"))
	case r.URL.Path == podsPath:
		w.Write(metadataList(s.pods...))
	default:
		s.bind(w, r)
	}
}

func (s *bareServer) bind(w http.ResponseWriter, r *http.Request) {
	text, _ := io.ReadAll(r.Body)
	var unknown runtime.Unknown
	var binding corev1.Binding
	err := errors.Join(unknown.Unmarshal(text[len(protobufPrefix):]), binding.Unmarshal(unknown.Raw))
	if err != nil || r.URL.Path != podsPath+"/"+binding.Name+"/binding" || unknown.Kind != "Binding" {
		http.Error(w, fmt.Sprint(err), http.StatusBadRequest)
		return
	}
	if binding.Name == s.refuse {
		http.Error(w, "already bound", http.StatusConflict)
		return
	}
	s.bound = append(s.bound, binding.Name+">"+binding.Target.Name)
	w.WriteHeader(http.StatusCreated)
	io.WriteString(w, "whatever")
}

func metadataList(names ...string) []byte {
	list := metav1.PartialObjectMetadataList{ListMeta: metav1.ListMeta{ResourceVersion: "7"}}
	for _, name := range names {
		list.Items = append(list.Items, metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: name}})
	}
	raw, _ := list.Marshal()
	body, _ := (&runtime.Unknown{Raw: raw}).Marshal()
	return append([]byte(protobufPrefix), body...)
}

func runBareAgainst(t *testing.T, s *bareServer, connections int) error {
	server := httptest.NewTLSServer(s)
	defer server.Close()
	client, err := newBareClient(&rest.Config{Host: server.URL, BearerToken: "secret",
		TLSClientConfig: rest.TLSClientConfig{Insecure: true}})
	if err != nil {
		t.Fatal(err)
	}
	return client.run(connections)
}

func TestTheBareClientBindsEachPodOnceInTurnOverTheNodes(t *testing.T) {
	for _, connections := range []int{1, 8} { // Fewer and more than there are pods.
		s := &bareServer{pods: []string{"a", "b", "c"}}
		if err := runBareAgainst(t, s, connections); err != nil {
			t.Fatal(err)
		}
		slices.Sort(s.bound)
		if !slices.Equal(s.bound, []string{"a>n0", "b>n1", "c>n0"}) || !s.watched {
			t.Errorf("%d connections: got %q, watched: %v", connections, s.bound, s.watched)
		}
	}
}

func TestTheBareClientReportsARefusal(t *testing.T) {
	err := runBareAgainst(t, &bareServer{pods: []string{"a", "b", "c"}, refuse: "b"}, 2)
	if err == nil || !strings.Contains(err.Error(), "/pods/b/binding HTTP/1.1: HTTP 409: \"already bound") {
		t.Errorf("got %v", err)
	}
}

func TestAnswersWithoutAStatedLengthAreRefused(t *testing.T) {
	for text, complaint := range map[string]string{
		"HTTP/1.1 201 Created\r\ncontent-length:  2\r\n\r\n{}":              "",
		"HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}": "without Content-Length",
		"HTTP/1.1 201 Created\r\nContent-Length: x\r\n\r\n":                 "no length",
		"HTTP/2 201\r\n\r\n":   "no HTTP/1.1",
		"HTTP/1.1 abc\r\n\r\n": "no status",
		"HTTP/1.1 201 Cr":      "EOF",
	} {
		a, err := readAnswer(bufio.NewReader(strings.NewReader(text)))
		if complaint == "" && (err != nil || a != answer{201, 2}) {
			t.Errorf("%q: got %v, %v", text, a, err)
		}
		if complaint != "" && (err == nil || !strings.Contains(err.Error(), complaint)) {
			t.Errorf("%q: got %v, want %s", text, err, complaint)
		}
	}
}
