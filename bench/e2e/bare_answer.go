package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"strconv"
)

// answer is what is looked at of an HTTP answer: its status, and how long the body is.
type answer struct{ status, length int }

var lengthHeader = []byte("content-length:")

// readAnswer reads the head of an answer and leaves the body, which must have its length stated.
func readAnswer(reader *bufio.Reader) (answer, error) {
	a := answer{length: -1}
	line, err := reader.ReadSlice('\n')
	if err != nil {
		return a, err
	}
	if len(line) < len("HTTP/1.1 200") || !bytes.HasPrefix(line, []byte("HTTP/1.1 ")) {
		return a, fmt.Errorf("no HTTP/1.1: %q", line)
	}
	if a.status, err = strconv.Atoi(string(line[9:12])); err != nil {
		return a, fmt.Errorf("no status: %q", line)
	}
	for {
		if line, err = reader.ReadSlice('\n'); err != nil {
			return a, err
		}
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			break
		}
		if len(line) > len(lengthHeader) && bytes.EqualFold(line[:len(lengthHeader)], lengthHeader) {
			if a.length, err = strconv.Atoi(string(bytes.TrimSpace(line[len(lengthHeader):]))); err != nil {
				return a, fmt.Errorf("no length: %q", line)
			}
		}
	}
	if a.length < 0 {
		return a, errors.New("an answer without Content-Length")
	}
	return a, nil
}
