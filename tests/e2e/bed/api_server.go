package bed

import (
	"path/filepath"
	"strconv"
)

// PodGroups is the feature gate by which pods may belong to a group.
const PodGroups = "GenericWorkload=true"

// APIServer is one of several on the same etcd; it can be killed and started again on its port.
type APIServer struct {
	*Process
	URL string

	bed    *Bed
	number int
	port   int
}

// Start returns when the server is ready.
func (s *APIServer) Start() error {
	if err := s.Launch(); err != nil {
		return err
	}
	return waitReady(s.Process, s.URL+"/readyz")
}

// Launch starts it, and does not wait until it is ready.
func (s *APIServer) Launch() (err error) {
	b, c := s.bed, s.bed.certificates
	name, address := ServerName(s.number), s.bed.addressOf(ServerName(s.number))
	s.Process, err = b.startIn(name, name, b.binary("kube-apiserver"),
		"--etcd-servers", b.etcdURL, "--bind-address", address, "--secure-port", strconv.Itoa(s.port),
		"--advertise-address", address, "--endpoint-reconciler-type", "none",
		"--tls-cert-file", c.Cert, "--tls-private-key-file", c.Key, "--client-ca-file", c.CA,
		"--token-auth-file", filepath.Join(b.folder, "tokens.csv"), "--authorization-mode", "RBAC",
		"--service-account-issuer", "https://e2e", "--service-account-key-file", c.ServiceAccountKey,
		"--service-account-signing-key-file", c.ServiceAccountKey, "--service-cluster-ip-range", "10.0.0.0/16",
		"--disable-admission-plugins", "ServiceAccount,TaintNodesByCondition,StorageObjectInUseProtection",
		"--audit-policy-file", filepath.Join(b.folder, "audit-policy.yaml"),
		"--audit-log-path", s.AuditLog(),
		"--enable-priority-and-fairness=false",
		// Pod groups are served; only a kube-scheduler with the gate looks at them.
		"--feature-gates", PodGroups, "--runtime-config", "scheduling.k8s.io/v1beta1=true",
		"--max-requests-inflight", "4000", "--max-mutating-requests-inflight", "2000",
		"--event-ttl", "30m", "--delete-collection-workers", "32")
	return err
}
