package bed

import (
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Bed is a cluster without nodes of its own: one etcd and some API servers. A kube-scheduler and winnow are started
// on it as each scenario wants.
type Bed struct {
	Story    string // Begins the names of winnow's and kube-scheduler's logs.
	Servers  []*APIServer
	Balancer *Balancer
	Etcd     *Process
	Gates    string   // Feature gates of a kube-scheduler that is started; "" for its defaults.
	Network  *Network // nil: all programs are on loopback.

	binaries, folder  string
	etcdURL, etcdPeer string
	certificates      certificates
	helper            *Process // kube-scheduler's balancer, where it needs one.
	proxies           []*Proxy // Between the API servers and Winnow, if any.
}

// Start brings up etcd and the API servers. Binaries is where components/build.sh put them; folder takes
// certificates, data and logs. Apart puts each program in a network namespace of its own.
func Start(binaries, folder string, servers int, apart bool) (*Bed, error) {
	if err := os.RemoveAll(folder); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	b := &Bed{binaries: binaries, folder: folder}
	if err := b.start(servers, apart); err != nil {
		b.Stop()
		return nil, err
	}
	return b, nil
}

func (b *Bed) start(servers int, apart bool) (err error) {
	if apart {
		if b.Network, err = startNetwork(b.folder); err != nil {
			return err
		}
	}
	if b.certificates, err = makeCertificates(b.folder); err != nil {
		return err
	}
	if err = b.WriteTokens(); err != nil {
		return err
	}
	if err = os.WriteFile(filepath.Join(b.folder, "audit-policy.yaml"), []byte(auditPolicy), 0o644); err != nil {
		return err
	}
	if err = b.startEtcd(); err != nil {
		return err
	}
	for i := range servers {
		server := &APIServer{bed: b, number: i, port: freePort()}
		server.URL = fmt.Sprintf("https://%s:%d", b.addressOf(ServerName(i)), server.port)
		b.Servers = append(b.Servers, server)
		if err = server.Start(); err != nil {
			return err
		}
	}
	b.Balancer, err = StartBalancer("127.0.0.1:0", b.urls(), apart)
	return err
}

func (b *Bed) urls() (urls []string) {
	for _, server := range b.Servers {
		urls = append(urls, server.URL)
	}
	return urls
}

// Folder has its data and logs.
func (b *Bed) Folder() string { return b.folder }

// Stop ends everything that Start has started.
func (b *Bed) Stop() {
	for _, server := range b.Servers {
		server.Kill()
	}
	b.Etcd.Kill()
	b.helper.Kill()
	if b.Balancer != nil {
		b.Balancer.listener.Close()
	}
	if b.Network != nil {
		b.Network.stop()
	}
}

func (b *Bed) startEtcd() (err error) {
	b.etcdURL = fmt.Sprintf("http://%s:%d", b.addressOf(EtcdName), freePort())
	b.etcdPeer = fmt.Sprintf("http://127.0.0.1:%d", freePort())
	if err = b.LaunchEtcd(); err != nil {
		return err
	}
	return waitReady(b.Etcd, b.EtcdURL()+"/readyz")
}

// EtcdURL is where its clients reach it, without credentials.
func (b *Bed) EtcdURL() string { return b.etcdURL }

// LaunchEtcd starts it with the data that it has, on its ports, and does not wait until it is ready.
func (b *Bed) LaunchEtcd() (err error) {
	peer := b.etcdPeer
	b.Etcd, err = b.startIn(EtcdName, "etcd", b.binary("etcd"),
		"--data-dir", filepath.Join(b.folder, "etcd"), "--unsafe-no-fsync", "--quota-backend-bytes", "8589934592",
		"--log-level", "warn", "--listen-client-urls", b.etcdURL, "--advertise-client-urls", b.etcdURL,
		"--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster", "default="+peer)
	return err
}

var given sync.Map // Ports that freePort has given: several beds may be started at once.

func freePort() int {
	for {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			panic(err)
		}
		port := listener.Addr().(*net.TCPAddr).Port
		listener.Close()
		if _, before := given.LoadOrStore(port, true); !before {
			return port
		}
	}
}

// Only for probes: what is asked there is no secret, and kube-scheduler's certificate is the API server's.
var probe = &http.Client{
	Timeout:   2 * time.Second,
	Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}},
}

// Get answers the body of a URL that needs no credentials.
func Get(url string) (int, string, error) { return GetBy("", url) }

// GetBy shows a bearer token; "": none.
func GetBy(token, url string) (int, string, error) { return ask(http.MethodGet, url, token, "") }

// PostBy sends JSON, and shows a bearer token.
func PostBy(token, url, body string) (int, string, error) {
	return ask(http.MethodPost, url, token, body)
}

func ask(method, url, token, body string) (int, string, error) {
	request, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	answer, err := probe.Do(request)
	if err != nil {
		return 0, "", err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	return answer.StatusCode, string(text), err
}

func waitReady(p *Process, url string) error {
	for end := time.Now().Add(90 * time.Second); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if p.Ended() {
			return fmt.Errorf("%s ended at once:\n%s", p.Name, p.Tail(5))
		}
		if code, _, err := Get(url); err == nil && code == http.StatusOK {
			return nil
		}
	}
	return fmt.Errorf("%s is not ready after 90 s:\n%s", p.Name, p.Tail(5))
}
