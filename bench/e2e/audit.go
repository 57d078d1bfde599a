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
	Staged   string `json:"stageTimestamp"`
	User     struct {
		Username string `json:"username"`
	} `json:"user"`
	Object *struct {
		Resource    string `json:"resource"`
		Subresource string `json:"subresource"`
		Namespace   string `json:"namespace"`
		Name        string `json:"name"` // Of what is created, too.
	} `json:"objectRef"`
	Response struct {
		Code int `json:"code"`
	} `json:"responseStatus"`

	received time.Time // The same as Received.
}

// readAudit visits the requests that the server received at or after `from`: a watch when it begins,
// any other when it ends. It also reads logs that were rotated away.
func readAudit(log string, from time.Time, visit func(*auditLine) error) error {
	paths, err := filepath.Glob(strings.TrimSuffix(log, ".log") + "*.log")
	if err != nil || len(paths) == 0 {
		return fmt.Errorf("no audit log at %s: %v", log, err)
	}
	for _, path := range paths {
		file, err := os.Open(path)
		if err != nil {
			return err
		}
		err = readAuditText(file, from, visit)
		file.Close()
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil
}

func readAuditText(text io.Reader, from time.Time, visit func(*auditLine) error) error {
	scanner := bufio.NewScanner(text)
	scanner.Buffer(make([]byte, 1<<16), 1<<22)
	for scanner.Scan() {
		var line auditLine
		if err := json.Unmarshal(scanner.Bytes(), &line); err != nil {
			return err
		}
		var err error
		if line.received, err = time.Parse(time.RFC3339Nano, line.Received); err != nil {
			return err
		}
		end := "ResponseComplete"
		if line.Verb == "watch" {
			end = "ResponseStarted"
		}
		if line.Stage != end || line.received.Before(from) {
			continue
		}
		if err := visit(&line); err != nil {
			return err
		}
	}
	return scanner.Err()
}

func newCalls(users []string) calls {
	counts := calls{}
	for _, user := range users {
		counts[user] = map[string]int{}
	}
	return counts
}

// add counts a request of the users that were named.
func (c calls) add(line *auditLine) {
	if of := c[line.User.Username]; of != nil {
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

func isChange(verb string) bool {
	switch verb {
	case "create", "update", "patch", "delete", "deletecollection":
		return true
	}
	return false
}

// isWrite tells calls that may change something; refused ones count, leases do not.
func isWrite(call string) bool {
	verb, target, _ := strings.Cut(call, " ")
	return isChange(verb) && target != "leases" && !strings.HasPrefix(target, "leases ")
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
