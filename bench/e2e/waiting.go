package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
)

// waitingGang is the size of the gangs of --waiting.
const waitingGang = 10

// Kinds of waiting gangs.
const (
	waitingLarge = "large" // No node is big enough.
	waitingFull  = "full"  // An empty node would be, but a filler has half of each.
)

// WaitingResult is what it costs to learn of gangs that fit nowhere, and single pods beside them.
type WaitingResult struct {
	Kind      string        `json:"kind"`
	Gangs     int           `json:"gangs"`
	Pods      int           `json:"pods"`
	CreatedS  float64       `json:"created_s"`           // Until the server had accepted the last pod.
	SettleS   float64       `json:"settle_s"`            // From the first request to create one until the subject is quiet.
	CPUS      float64       `json:"settle_cpu_s"`        // Of the subject, meanwhile.
	GrowthMiB float64       `json:"resident_growth_mib"` // Of the subject, meanwhile.
	Writes    writes        `json:"writes"`              // Meanwhile; the creation of the gangs is among them.
	Singles   *SingleResult `json:"singles"`             // After that.
}

func (p *Params) checkWaiting() error {
	if p.Waiting < 0 {
		return errors.New("--waiting must not be negative")
	}
	if p.WaitingKind != waitingLarge && p.WaitingKind != waitingFull {
		return fmt.Errorf("--waiting-kind %q: want %s or %s", p.WaitingKind, waitingLarge, waitingFull)
	}
	if p.Waiting > 0 && p.Singles == 0 {
		return errors.New("--waiting needs --singles, which are measured before and beside the gangs")
	}
	return nil
}

// fills tells whether a filler stands on each node.
func (p *Params) fills() bool { return p.Waiting > 0 && p.WaitingKind == waitingFull }

// fillerCPU is half a node.
func (p *Params) fillerCPU() resource.Quantity { return p.ofNodeCPU(1, 2) }

// waitingCPU is what a pod of a waiting gang requests: two nodes, or three quarters of one.
func (p *Params) waitingCPU() resource.Quantity {
	if p.WaitingKind == waitingFull {
		return p.ofNodeCPU(3, 4)
	}
	return p.ofNodeCPU(2, 1)
}

func (p *Params) ofNodeCPU(times, parts int64) resource.Quantity {
	node := resource.MustParse(p.NodeCPU)
	return *resource.NewMilliQuantity(node.MilliValue()*times/parts, resource.DecimalSI)
}

// waiting creates the gangs that fit nowhere and measures single pods beside them, on the server and
// with the process that were measured without them.
func (r *run) waiting(ctx context.Context) error {
	result := &WaitingResult{Kind: r.params.WaitingKind, Gangs: r.params.Waiting,
		Pods: r.params.Waiting * waitingGang}
	before, err := readWrites(ctx, r.server)
	if err != nil {
		return err
	}
	events, err := startEventTail(ctx, r.server)
	if err != nil {
		return err
	}
	defer events.cancel()
	first, begin := r.process.usage(), time.Now()
	if err := r.world.addPods(ctx, batch{waitingRole, result.Pods, waitingGang}); err != nil {
		return fmt.Errorf("create waiting gangs: %w", err)
	}
	result.CreatedS = time.Since(begin).Seconds()
	r.noteQuiet(awaitQuiet(r.process, r.params.Timeout, events.isBusy))
	last := r.process.usage()
	result.SettleS, result.CPUS = time.Since(begin).Seconds(), last.cpu-first.cpu
	result.GrowthMiB = last.resident - first.resident
	after, err := readWrites(ctx, r.server)
	if err != nil {
		return err
	}
	result.Writes = after.since(before)
	progress("%s: %d waiting gangs, quiet after %.1f s", r.subject.label, result.Gangs, result.SettleS)
	result.Singles, err = r.singles(ctx, besidePrefix)
	r.result.Waiting = result
	return err
}
