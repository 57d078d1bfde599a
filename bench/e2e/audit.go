package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// calls counts requests by user and "verb resource/subresource"; a refusal carries its status.
type calls map[string]map[string]int

// auditLine is what is read of one line of the API server's audit log.
type auditLine struct {
	Stage    string `json:"stage"`
	Verb     string `json:"verb"`
	URI      string `json:"requestURI"`
	Received string `json:"requestReceivedTimestamp"`
	User     struct {
		Username string `json:"username"`
	} `json:"user"`
	Object *struct {
		Resource    string `json:"resource"`
		Subresource string `json:"subresource"`
	} `json:"objectRef"`
	Response struct {
		Code int `json:"code"`
	} `json:"responseStatus"`
}

// readCalls counts the requests of some users that the server received at or after `from`. It also
// reads logs that were rotated away.
func readCalls(log string, from time.Time, users []string) (calls, error) {
	paths, err := filepath.Glob(strings.TrimSuffix(log, ".log") + "*.log")
	if err != nil || len(paths) == 0 {
		return nil, fmt.Errorf("no audit log at %s: %v", log, err)
	}
	counts := calls{}
	for _, user := range users {
		counts[user] = map[string]int{}
	}
	for _, path := range paths {
		file, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		err = counts.addAll(file, from)
		file.Close()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	return counts, nil
}

func (c calls) addAll(text io.Reader, from time.Time) error {
	scanner := bufio.NewScanner(text)
	scanner.Buffer(make([]byte, 1<<16), 1<<22)
	for scanner.Scan() {
		var line auditLine
		if err := json.Unmarshal(scanner.Bytes(), &line); err != nil {
			return err
		}
		received, err := time.Parse(time.RFC3339Nano, line.Received)
		if err != nil {
			return err
		}
		if !received.Before(from) {
			c.add(&line)
		}
	}
	return scanner.Err()
}

// add counts a watch when it begins, any other request when it ends.
func (c calls) add(line *auditLine) {
	end := "ResponseComplete"
	if line.Verb == "watch" {
		end = "ResponseStarted"
	}
	if of := c[line.User.Username]; of != nil && line.Stage == end {
		of[line.key()]++
	}
}

func (l *auditLine) key() string {
	target := l.URI
	if l.Object != nil {
		target = l.Object.Resource
		if l.Object.Subresource != "" {
			target += "/" + l.Object.Subresource
		}
	}
	key := l.Verb + " " + target
	if l.Response.Code >= 400 {
		key += " " + strconv.Itoa(l.Response.Code)
	}
	return key
}

// isWrite tells calls that may change something; refused ones count, leases do not.
func isWrite(call string) bool {
	verb, target, _ := strings.Cut(call, " ")
	switch verb {
	case "create", "update", "patch", "delete", "deletecollection":
		return target != "leases" && !strings.HasPrefix(target, "leases ")
	}
	return false
}

func (c calls) writesOf(user string) int {
	sum := 0
	for call, count := range c[user] {
		if isWrite(call) {
			sum += count
		}
	}
	return sum
}
