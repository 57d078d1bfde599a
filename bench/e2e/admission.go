package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const (
	webhookProgram   = "vc-webhook-manager"
	webhookNamespace = "default"
)

// admissionResult is the creation of pods on one fresh server, with or without our webhooks.
type admissionResult struct {
	Column      string  `json:"column"` // "without", "with".
	Commit      string  `json:"commit"`
	Repeat      int     `json:"repeat"`
	Discarded   bool    `json:"discarded,omitempty"`
	Pods        int     `json:"pods"`
	CreateS     float64 `json:"create_s"` // From the first request to the last answer.
	PodsPerS    float64 `json:"pods_per_s"`
	APIServer   float64 `json:"apiserver_cpu_s_per_1000"`
	Webhooks    float64 `json:"webhooks_cpu_s_per_1000"` // Per 1,000 pods.
	PeakMiB     float64 `json:"webhooks_peak_mib"`
	OthersCores float64 `json:"others_cores"`
}

// compareAdmission measures what our webhooks cost those who create pods: in turn without and with
// them, each on a fresh API server.
func compareAdmission(ctx context.Context, p *Params) error {
	made := newStamp(p)
	runs := map[bool][]*admissionResult{}
	for repeat := p.firstRepeat(); repeat <= p.Repeat; repeat++ {
		for _, with := range []bool{false, true} {
			result, err := measureAdmission(ctx, p, with)
			if err != nil {
				return fmt.Errorf("admission, webhooks %v: %w", with, err)
			}
			result.Commit, result.Repeat, result.Discarded = made.Commit, repeat, repeat == 0
			progress("%-7s %5d pods in %6.2f s, kube-apiserver %.2f and webhooks %.3f CPU-s per 1,000",
				result.Column, result.Pods, result.CreateS, result.APIServer, result.Webhooks)
			if err := printJSON(result); err != nil {
				return err
			}
			if !result.Discarded {
				runs[with] = append(runs[with], result)
			}
		}
	}
	ratio := newFigure(eachAdmission(runs, func(without, with *admissionResult) float64 {
		return with.CreateS / without.CreateS
	}))
	cpu := newFigure(eachAdmission(runs, func(_, with *admissionResult) float64 { return with.Webhooks }))
	fmt.Fprintf(os.Stderr, "\n%s\n\n| Figure | Median (least–most) |\n|---|---|\n"+
		"| time to create pods, with webhooks / without | %s |\n"+
		"| CPU-s of %s per 1,000 pods | %s |\n", made.text(p.Repeat, p.firstRepeat() == 0),
		ratio.text("%.2f"), webhookProgram, cpu.text("%.3f"))
	return printJSON(map[string]any{"summary": map[string]any{
		"create_s_ratio": ratio, "webhooks_cpu_s_per_1000": cpu}})
}

func eachAdmission(runs map[bool][]*admissionResult,
	of func(without, with *admissionResult) float64) []float64 {
	var values []float64
	for i, with := range runs[true] {
		values = append(values, of(runs[false][i], with))
	}
	return values
}

func measureAdmission(ctx context.Context, p *Params, with bool) (*admissionResult, error) {
	on, err := startServer(ctx, p)
	if err != nil {
		return nil, err
	}
	defer on.stop(p.Keep)
	content := newWorld(p, newSubject("vc-scheduler", p), on)
	if err := content.open(ctx); err != nil {
		return nil, err
	}
	result := &admissionResult{Column: "without", Pods: p.Pods}
	var webhooks *program
	if with {
		result.Column = "with"
		if webhooks, err = startWebhooks(ctx, p, on); err != nil {
			return nil, err
		}
		defer webhooks.stop()
	}
	// The connections of the bench and of the server are made before the clock runs.
	if err := content.addPods(ctx, batch{role: singleRole, pods: 100, gang: 100}); err != nil {
		return nil, err
	}
	// CPU-seconds of the server, of the webhooks, and of all that belongs to the measurement.
	used := func() (server, own, all float64) {
		server = usageOf(on.PIDs["kube-apiserver"]).cpu
		if webhooks != nil {
			own = webhooks.usage().cpu
		}
		return server, own, server + own + usageOf(on.PIDs["etcd"]).cpu + usageOf(os.Getpid()).cpu
	}
	busy, err := readBusyCPU()
	if err != nil {
		return nil, err
	}
	begin := time.Now()
	server, own, all := used()
	if err := inParallel(p.Pods, func(i int) error {
		return content.addPod(ctx, batch{pendingRole, p.Pods, p.Gang}, i)
	}); err != nil {
		return nil, err
	}
	result.CreateS = time.Since(begin).Seconds()
	busyNow, err := readBusyCPU()
	if err != nil {
		return nil, err
	}
	serverNow, ownNow, allNow := used()
	per := 1000 / float64(p.Pods)
	result.PodsPerS = float64(p.Pods) / result.CreateS
	result.APIServer, result.Webhooks = (serverNow-server)*per, (ownNow-own)*per
	result.OthersCores = max(busyNow.all-busy.all-(allNow-all), 0) / result.CreateS
	if webhooks != nil {
		result.PeakMiB = webhooks.usage().peak
	}
	return result, nil
}

// startWebhooks runs our webhooks with the paths that are on by default, registered by themselves, and
// waits until the server asks them: a pod that they refuse is then refused.
func startWebhooks(ctx context.Context, p *Params, on *server) (*program, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	webhooks, err := startProgram(filepath.Join(on.dir, webhookProgram+".log"),
		filepath.Join(p.Bin, webhookProgram), "--kubeconfig", on.Kubeconfigs["admin"],
		"--listen-address=127.0.0.1", fmt.Sprintf("--port=%d", port),
		fmt.Sprintf("--webhook-url=https://127.0.0.1:%d", port), "--self-register",
		"--webhook-namespace="+webhookNamespace, "--certificate-secret=bench-webhooks")
	if err != nil {
		return nil, err
	}
	deadline := time.After(time.Minute)
	for {
		if refused, err := refusesBadPod(ctx, on); err != nil || refused {
			return webhooks, err
		}
		select {
		case <-webhooks.done:
			return nil, webhooks.failure()
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-deadline:
			return nil, errors.New(webhookProgram + " refuses nothing after a minute")
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func refusesBadPod(ctx context.Context, on *server) (bool, error) {
	pod := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Pod",
		"metadata": map[string]any{"name": "refused",
			"annotations": map[string]any{"volcano.sh/jdb-min-available": "0"}},
		"spec": map[string]any{"schedulerName": "volcano",
			"containers": []any{map[string]any{"name": "main", "image": "example.invalid/app:1"}}}}}
	_, err := on.dynamic.Resource(kind("", "v1", "pods")).Namespace(namespace).
		Create(ctx, pod, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	if err == nil || apierrors.IsInternalError(err) {
		return false, nil // Not registered, or not served yet.
	}
	if apierrors.IsBadRequest(err) || apierrors.IsForbidden(err) {
		return true, nil
	}
	return false, err
}
