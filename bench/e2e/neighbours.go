package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// busyCPU is how many seconds all cores together have worked since the machine started, and how
// many of these its host gave to other machines.
type busyCPU struct{ all, stolen float64 }

func readBusyCPU() (busyCPU, error) {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return busyCPU{}, err
	}
	return parseBusyCPU(string(text))
}

// parseBusyCPU reads the first line of /proc/stat: user, nice, system, idle, iowait, irq, softirq,
// steal, in hundredths of a second. What comes after that is contained in these.
func parseBusyCPU(text string) (busyCPU, error) {
	line, _, _ := strings.Cut(text, "\n")
	fields := strings.Fields(line)
	if len(fields) < 9 || fields[0] != "cpu" {
		return busyCPU{}, fmt.Errorf("/proc/stat begins with %q", line)
	}
	var busy busyCPU
	for i, field := range fields[1:9] {
		ticks, err := strconv.ParseFloat(field, 64)
		if err != nil {
			return busyCPU{}, fmt.Errorf("/proc/stat: %w", err)
		}
		if i == 3 || i == 4 { // Idle, or waiting for a disk.
			continue
		}
		busy.all += ticks / ticksPerSecond
		if i == 7 {
			busy.stolen = ticks / ticksPerSecond
		}
	}
	return busy, nil
}

// neighbours measures how busy the machine is with what is no part of the measurement.
type neighbours struct {
	begin time.Time
	busy  busyCPU
	own   float64
}

// ownCPU is what the bench, the server and the subject have used, in seconds.
func (r *run) ownCPU() float64 {
	own := usageOf(os.Getpid()).cpu + usageOf(r.server.PIDs["kube-apiserver"]).cpu + usageOf(r.server.PIDs["etcd"]).cpu
	for _, p := range []*program{r.process, r.standby} {
		if p != nil {
			own += p.usage().cpu
		}
	}
	return own
}

func (r *run) meetNeighbours() (neighbours, error) {
	busy, err := readBusyCPU()
	return neighbours{time.Now(), busy, r.ownCPU()}, err
}

// noteNeighbours tells how many cores others kept busy since then, the host's other machines included.
// A subject that was killed meanwhile counts among the others.
func (r *run) noteNeighbours(since neighbours) error {
	busy, err := readBusyCPU()
	if err != nil {
		return err
	}
	seconds := time.Since(since.begin).Seconds()
	r.result.OthersCores = max(busy.all-since.busy.all-(r.ownCPU()-since.own), 0) / seconds
	r.result.StolenCores = (busy.stolen - since.busy.stolen) / seconds
	return nil
}
