package bed

import (
	"fmt"
	"path/filepath"
	"strconv"
)

// APIServer is one of several on the same etcd; it can be killed and started again on its port.
type APIServer struct {
	*Process
	URL string

	bed    *Bed
	number int
	port   int
}

// Start returns when the server is ready.
func (s *APIServer) Start() (err error) {
	b, c := s.bed, s.bed.certificates
	name := fmt.Sprintf("kube-apiserver-%d", s.number)
	s.Process, err = startProcess(b.folder, name, filepath.Join(b.binaries, "kube-apiserver"),
		"--etcd-servers", b.etcdURL, "--bind-address", "127.0.0.1", "--secure-port", strconv.Itoa(s.port),
		"--advertise-address", "127.0.0.1", "--endpoint-reconciler-type", "none",
		"--tls-cert-file", c.Cert, "--tls-private-key-file", c.Key, "--client-ca-file", c.CA,
		"--token-auth-file", filepath.Join(b.folder, "tokens.csv"), "--authorization-mode", "RBAC",
		"--service-account-issuer", "https://e2e", "--service-account-key-file", c.ServiceAccountKey,
		"--service-account-signing-key-file", c.ServiceAccountKey, "--service-cluster-ip-range", "10.0.0.0/16",
		"--disable-admission-plugins", "ServiceAccount,TaintNodesByCondition,StorageObjectInUseProtection",
		"--audit-policy-file", filepath.Join(b.folder, "audit-policy.yaml"),
		"--audit-log-path", s.AuditLog(),
		"--enable-priority-and-fairness=false",
		"--max-requests-inflight", "4000", "--max-mutating-requests-inflight", "2000",
		"--event-ttl", "30m", "--delete-collection-workers", "32")
	if err != nil {
		return err
	}
	return waitReady(s.Process, s.URL+"/readyz")
}
