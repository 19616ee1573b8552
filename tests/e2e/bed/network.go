package bed

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Network puts each program of a bed in a network namespace of its own, which a veth pair joins to one bridge. It cuts
// two of them from each other without a word to either: no packet arrives, and none is refused. It needs CAP_NET_ADMIN,
// CAP_SYS_ADMIN, ip, nft, nsenter and unshare.
type Network struct {
	places map[string]*place
}

// The programs' names in the network, which are also those of supervisors and faults.
const (
	EtcdName      = "etcd"
	SchedulerName = "kube-scheduler"
	WinnowName    = "winnow"
)

// ServerName is that of the API server of a number.
func ServerName(number int) string { return fmt.Sprintf("kube-apiserver-%d", number) }

// addresses of all programs, and the bridge's. Certificates are good for them.
var addresses = map[string]string{
	"bed": "10.77.0.1", EtcdName: "10.77.0.10", ServerName(0): "10.77.0.11", ServerName(1): "10.77.0.12",
	SchedulerName: "10.77.0.13", WinnowName: "10.77.0.14",
}

const bridge = "winnow-bed"

// place is a namespace. A process that does nothing holds it.
type place struct {
	address string
	holder  *Process
}

// startNetwork makes the namespaces. Each drops what comes from the addresses in its set "cut".
func startNetwork(folder string) (*Network, error) {
	n := &Network{places: map[string]*place{}}
	for _, command := range []string{
		"ip link add " + bridge + " type bridge",
		"ip addr add " + addresses["bed"] + "/24 dev " + bridge,
		"ip link set " + bridge + " up",
	} {
		if err := run(strings.Fields(command)...); err != nil {
			return n, fmt.Errorf("%w (network namespaces need CAP_NET_ADMIN and CAP_SYS_ADMIN: make churn)", err)
		}
	}
	for name, address := range addresses {
		if name == "bed" {
			continue
		}
		if err := n.add(folder, name, address); err != nil {
			return n, err
		}
	}
	return n, nil
}

func (n *Network) add(folder, name, address string) error {
	holder, err := startProcess(folder, "namespace-of-"+name, "unshare", "--net", "sleep", "infinity")
	if err != nil {
		return err
	}
	p := &place{address, holder}
	n.places[name] = p
	if err := p.wait(); err != nil {
		return err
	}
	link := "veth" + address[strings.LastIndexByte(address, '.')+1:]
	pid := strconv.Itoa(holder.PID())
	for _, command := range [][]string{
		{"ip", "link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", pid},
		{"ip", "link", "set", link, "master", bridge, "up"},
		p.enter("ip", "link", "set", "lo", "up"),
		p.enter("ip", "addr", "add", address+"/24", "dev", "eth0"),
		p.enter("ip", "link", "set", "eth0", "up"),
		p.enter("nft", "add table ip bed; add set ip bed cut { type ipv4_addr; }; "+
			"add chain ip bed input { type filter hook input priority 0; }; add rule ip bed input ip saddr @cut counter drop"),
	} {
		if err := run(command...); err != nil {
			return err
		}
	}
	return nil
}

// wait until the holder has left the namespace of this program.
func (p *place) wait() error {
	mine, err := os.Readlink("/proc/self/ns/net")
	if err != nil {
		return err
	}
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if its, err := os.Readlink(p.path()); err == nil && its != mine {
			return nil
		}
		if p.holder.Ended() {
			break
		}
	}
	return fmt.Errorf("no network namespace: %s", p.holder.Tail(3))
}

func (p *place) path() string { return fmt.Sprintf("/proc/%d/ns/net", p.holder.PID()) }

func (p *place) enter(command ...string) []string {
	return append([]string{"nsenter", "--net=" + p.path()}, command...)
}

// Cut drops all packets between two programs, until Heal.
func (n *Network) Cut(a, b string) error { return n.change("add", a, b) }

// Heal ends Cut.
func (n *Network) Heal(a, b string) error { return n.change("delete", a, b) }

func (n *Network) change(verb, a, b string) error {
	for _, pair := range [][2]string{{a, b}, {b, a}} {
		change := fmt.Sprintf("%s element ip bed cut { %s }", verb, n.places[pair[1]].address)
		if err := run(n.places[pair[0]].enter("nft", change)...); err != nil {
			return err
		}
	}
	return nil
}

var packets = regexp.MustCompile(`packets (\d+)`)

// Dropped counts the packets that cuts have dropped so far.
func (n *Network) Dropped() (sum int, err error) {
	for _, p := range n.places {
		command := p.enter("nft", "list", "chain", "ip", "bed", "input")
		text, err := exec.Command(command[0], command[1:]...).CombinedOutput()
		if err != nil {
			return 0, fmt.Errorf("%s: %w: %s", strings.Join(command, " "), err, text)
		}
		if found := packets.FindSubmatch(text); found != nil {
			count, _ := strconv.Atoi(string(found[1]))
			sum += count
		}
	}
	return sum, nil
}

func (n *Network) stop() {
	for _, p := range n.places {
		p.holder.Kill()
	}
	run("ip", "link", "delete", bridge)
}

func run(command ...string) error {
	if text, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", strings.Join(command, " "), err, strings.TrimSpace(string(text)))
	}
	return nil
}

// addressOf the program: loopback where the bed has no network of its own.
func (b *Bed) addressOf(name string) string {
	if b.Network == nil {
		return "127.0.0.1"
	}
	return b.Network.places[name].address
}

// startIn runs a program of the bed where its name has its place.
func (b *Bed) startIn(place, log, path string, args ...string) (*Process, error) {
	if b.Network == nil {
		return startProcess(b.folder, log, path, args...)
	}
	command := b.Network.places[place].enter(append([]string{path}, args...)...)
	return startProcess(b.folder, log, command[0], command[1:]...)
}

// binary that components/build.sh has made.
func (b *Bed) binary(name string) string { return filepath.Join(b.binaries, name) }

// reachable are the addresses that certificates are good for.
func reachable() []net.IP {
	ips := []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback}
	for _, address := range addresses {
		ips = append(ips, net.ParseIP(address))
	}
	return ips
}
