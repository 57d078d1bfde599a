package main

import (
	"bufio"
	"context"
	"strconv"
	"strings"
)

// writes counts the requests that change something, by "verb resource/subresource", with the
// status added where it is a refusal.
type writes map[string]float64

// readWrites reads the API server's own counters. Leases are left out: the server renews its own.
func readWrites(ctx context.Context, on *server) (writes, error) {
	stream, err := on.core.Discovery().RESTClient().Get().AbsPath("/metrics").Stream(ctx)
	if err != nil {
		return nil, err
	}
	defer stream.Close()
	counts := writes{}
	scanner := bufio.NewScanner(stream)
	scanner.Buffer(make([]byte, 1<<16), 1<<20)
	for scanner.Scan() {
		rest, ok := strings.CutPrefix(scanner.Text(), "apiserver_request_total{")
		if !ok {
			continue
		}
		end := strings.LastIndexByte(rest, '}')
		if end < 0 {
			continue
		}
		value, err := strconv.ParseFloat(strings.TrimSpace(rest[end+1:]), 64)
		if err != nil {
			continue
		}
		if key, isWrite := writeKey(parseLabels(rest[:end])); isWrite {
			counts[key] += value
		}
	}
	return counts, scanner.Err()
}

func writeKey(labels map[string]string) (string, bool) {
	switch labels["verb"] {
	case "POST", "PUT", "PATCH", "APPLY", "DELETE", "DELETECOLLECTION":
	default:
		return "", false
	}
	if labels["resource"] == "leases" {
		return "", false
	}
	key := labels["verb"] + " " + labels["resource"]
	if labels["subresource"] != "" {
		key += "/" + labels["subresource"]
	}
	if labels["code"] >= "400" {
		key += " " + labels["code"]
	}
	return key, true
}

// parseLabels reads a="b",c="d"; the values in question hold no escapes.
func parseLabels(text string) map[string]string {
	labels := map[string]string{}
	for text != "" {
		name, rest, ok := strings.Cut(text, `="`)
		if !ok {
			break
		}
		value, after, ok := strings.Cut(rest, `"`)
		if !ok {
			break
		}
		labels[strings.TrimPrefix(name, ",")] = value
		text = after
	}
	return labels
}

// since returns what was written after an earlier reading.
func (w writes) since(before writes) writes {
	delta := writes{}
	for key, value := range w {
		if more := value - before[key]; more > 0 {
			delta[key] = more
		}
	}
	return delta
}

func (w writes) total() float64 {
	sum := 0.0
	for _, value := range w {
		sum += value
	}
	return sum
}
