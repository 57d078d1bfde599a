package cluster

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Users each get a token and a kubeconfig. All are administrators: what a daemon may do is tested
// with the roles of deploy/, not here.
var Users = []string{"admin", "scheduler", "controllers", "webhook", "nodes"}

// credentials are made once per cluster and survive restarts of its programs.
type credentials struct {
	dir    string
	caPEM  []byte
	tokens map[string]string
}

func (c *credentials) caFile() string     { return filepath.Join(c.dir, "ca.crt") }
func (c *credentials) certFile() string   { return filepath.Join(c.dir, "server.crt") }
func (c *credentials) keyFile() string    { return filepath.Join(c.dir, "server.key") }
func (c *credentials) accountKey() string { return filepath.Join(c.dir, "accounts.key") }
func (c *credentials) tokensFile() string { return filepath.Join(c.dir, "tokens.csv") }
func (c *credentials) kubeconfig(user string) string {
	return filepath.Join(filepath.Dir(c.dir), user+".kubeconfig")
}

// newCredentials writes a certificate authority, a serving certificate for loopback, the key that
// signs service account tokens, and the token file.
func newCredentials(dir string) (*credentials, error) {
	c := &credentials{dir: dir, tokens: map[string]string{}}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	caKey, caCert, err := c.writeAuthority()
	if err != nil {
		return nil, fmt.Errorf("make certificate authority: %w", err)
	}
	if err := c.writeServing(caKey, caCert); err != nil {
		return nil, fmt.Errorf("make serving certificate: %w", err)
	}
	if _, err := newKey(c.accountKey()); err != nil {
		return nil, fmt.Errorf("make service account key: %w", err)
	}
	return c, c.writeTokens()
}

func (c *credentials) writeAuthority() (*ecdsa.PrivateKey, *x509.Certificate, error) {
	key, err := newKey(filepath.Join(c.dir, "ca.key"))
	if err != nil {
		return nil, nil, err
	}
	template := certificate("kt authority")
	template.IsCA, template.BasicConstraintsValid = true, true
	template.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, nil, err
	}
	c.caPEM = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	if err := os.WriteFile(c.caFile(), c.caPEM, 0o600); err != nil {
		return nil, nil, err
	}
	parsed, err := x509.ParseCertificate(der)
	return key, parsed, err
}

func (c *credentials) writeServing(caKey *ecdsa.PrivateKey, ca *x509.Certificate) error {
	key, err := newKey(c.keyFile())
	if err != nil {
		return err
	}
	template := certificate("kube-apiserver")
	template.KeyUsage = x509.KeyUsageDigitalSignature
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	template.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback}
	template.DNSNames = []string{"localhost", "kubernetes", "kubernetes.default.svc"}
	der, err := x509.CreateCertificate(rand.Reader, template, ca, key.Public(), caKey)
	if err != nil {
		return err
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	return os.WriteFile(c.certFile(), append(text, c.caPEM...), 0o600)
}

// writeTokens gives every user a random token.
func (c *credentials) writeTokens() error {
	var lines strings.Builder
	for _, user := range Users {
		secret := make([]byte, 24)
		if _, err := rand.Read(secret); err != nil {
			return err
		}
		c.tokens[user] = hex.EncodeToString(secret)
		fmt.Fprintf(&lines, "%s,%s,%s,system:masters\n", c.tokens[user], user, user)
	}
	return os.WriteFile(c.tokensFile(), []byte(lines.String()), 0o600)
}

// writeKubeconfigs writes one file per user; the certificate authority travels inside.
func (c *credentials) writeKubeconfigs(server string) error {
	for _, user := range Users {
		text := fmt.Sprintf(`apiVersion: v1
kind: Config
current-context: kt
clusters:
- name: kt
  cluster:
    server: %q
    certificate-authority-data: %s
users:
- name: %s
  user:
    token: %s
contexts:
- name: kt
  context:
    cluster: kt
    user: %s
`, server, base64.StdEncoding.EncodeToString(c.caPEM), user, c.tokens[user], user)
		if err := os.WriteFile(c.kubeconfig(user), []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

func certificate(name string) *x509.Certificate {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		panic(err) // The kernel's random source is gone: nothing sensible can follow.
	}
	now := time.Now()
	return &x509.Certificate{
		SerialNumber: serial,
		Subject:      pkix.Name{CommonName: name},
		NotBefore:    now.Add(-time.Hour),
		NotAfter:     now.Add(30 * 24 * time.Hour),
	}
}

// newKey makes an EC key and writes it to path.
func newKey(path string) (*ecdsa.PrivateKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, err
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der})
	return key, os.WriteFile(path, text, 0o600)
}
