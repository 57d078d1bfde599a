package cluster

import (
	"fmt"
	"path/filepath"
	"strconv"
)

// ports are those of one attempt to start.
type ports struct{ client, peer, api, controllers int }

func choosePorts() (ports, error) {
	free, err := freePorts(4)
	if err != nil {
		return ports{}, err
	}
	return ports{client: free[0], peer: free[1], api: free[2], controllers: free[3]}, nil
}

func (c *Cluster) newProcess(name string, args ...string) *process {
	return &process{
		name: name,
		path: filepath.Join(c.options.Bin, name),
		args: args,
		log:  filepath.Join(c.options.Dir, name+".log"),
	}
}

func loopback(scheme string, port int) string {
	return fmt.Sprintf("%s://127.0.0.1:%d", scheme, port)
}

// etcdProcess keeps its data in the state folder and never waits for the disk: a power failure may
// lose the cluster, which lives no longer than the test anyway.
func (c *Cluster) etcdProcess() *process {
	client, peer := loopback("http", c.ports.client), loopback("http", c.ports.peer)
	return c.newProcess(Etcd,
		"--data-dir", filepath.Join(c.options.Dir, "etcd"), "--unsafe-no-fsync",
		"--listen-client-urls", client, "--advertise-client-urls", client,
		"--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
		"--initial-cluster", "default="+peer,
		"--quota-backend-bytes", strconv.FormatInt(8<<30, 10),
		"--auto-compaction-mode", "revision", "--auto-compaction-retention", "100000",
		"--log-level", "warn")
}

// apiServerProcess has no flow control: a measurement shall meet the server's own limits, and every
// user is an administrator. Without the ServiceAccount plugin pods need no account in each namespace.
func (c *Cluster) apiServerProcess() *process {
	args := []string{
		"--etcd-servers", loopback("http", c.ports.client),
		"--bind-address", "127.0.0.1", "--secure-port", strconv.Itoa(c.ports.api),
		"--tls-cert-file", c.credentials.certFile(),
		"--tls-private-key-file", c.credentials.keyFile(),
		"--token-auth-file", c.credentials.tokensFile(), "--authorization-mode", "RBAC",
		"--service-account-key-file", c.credentials.accountKey(),
		"--service-account-signing-key-file", c.credentials.accountKey(),
		"--service-account-issuer", "https://kt.invalid",
		"--service-cluster-ip-range", "10.0.0.0/16",
		"--disable-admission-plugins", "ServiceAccount",
		"--enable-priority-and-fairness=false",
		"--max-requests-inflight", "3000", "--max-mutating-requests-inflight", "3000",
		"--profiling=false", "--allow-privileged=true", "--event-ttl", "1h",
	}
	if c.options.FeatureGates != "" {
		args = append(args, "--feature-gates", c.options.FeatureGates)
	}
	if c.options.RuntimeConfig != "" {
		args = append(args, "--runtime-config", c.options.RuntimeConfig)
	}
	if c.options.Audit {
		args = append(args, "--audit-policy-file", c.auditPolicy(), "--audit-log-format", "json",
			"--audit-log-path", filepath.Join(c.options.Dir, "audit.log"))
	}
	return c.newProcess(APIServer, args...)
}

func (c *Cluster) auditPolicy() string { return filepath.Join(c.options.Dir, "audit-policy.yaml") }

const auditPolicyText = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: Metadata
`

// controllerManagerProcess leaves out what would judge our nodes, which have no kubelet, and what
// would put a config map into every namespace, where tests count objects.
func (c *Cluster) controllerManagerProcess() *process {
	return c.newProcess(ControllerManager,
		"--kubeconfig", c.credentials.kubeconfig("controllers"),
		"--service-account-private-key-file", c.credentials.accountKey(),
		"--leader-elect=false", "--profiling=false",
		"--controllers", "*,-node-lifecycle-controller,-node-ipam-controller,-node-route-controller,"+
			"-ttl-controller,-taint-eviction-controller,"+
			"-root-ca-certificate-publisher-controller",
		"--kube-api-qps", "500", "--kube-api-burst", "1000",
		"--concurrent-gc-syncs", "30", "--concurrent-namespace-syncs", "20",
		"--bind-address", "127.0.0.1", "--secure-port", strconv.Itoa(c.ports.controllers),
		"--cert-dir", filepath.Join(c.options.Dir, "controller-certs"))
}
