package bed

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"
)

// Balancer passes connections on to the API servers, to each in turn among those that take them. What is to outlive the
// loss of one server goes through it: kube-scheduler and the scenarios' own clients. (Winnow has its own.)
type Balancer struct {
	URL string

	servers  []string
	listener net.Listener
	mutex    sync.Mutex
	next     int
	unready  map[string]bool
	open     map[net.Conn]string // The connections to servers.
}

// StartBalancer listens on the address. Probing has it ask each server each second whether it is ready: a server that
// is not gets no connection, and loses those that it has, as long as another one is ready.
func StartBalancer(address string, servers []string, probing bool) (*Balancer, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	l := &Balancer{URL: "https://" + listener.Addr().String(), servers: servers, listener: listener,
		unready: map[string]bool{}, open: map[net.Conn]string{}}
	go l.run()
	if probing {
		for _, server := range servers {
			go l.probe(server)
		}
	}
	return l, nil
}

func (l *Balancer) run() {
	for {
		client, err := l.listener.Accept()
		if err != nil {
			return
		}
		go l.pass(client)
	}
}

func (l *Balancer) pass(client net.Conn) {
	defer client.Close()
	server := l.dial()
	if server == nil {
		return
	}
	defer l.forget(server)
	defer server.Close()
	done := make(chan struct{}, 2)
	copyTo := func(to, from net.Conn) {
		io.Copy(to, from)
		done <- struct{}{}
	}
	go copyTo(server, client)
	go copyTo(client, server)
	<-done // One side is gone: so is the other.
}

// dial tries each server once.
func (l *Balancer) dial() net.Conn {
	for _, server := range l.turn() {
		if connection, err := net.DialTimeout("tcp", strings.TrimPrefix(server, "https://"), time.Second); err == nil {
			l.mutex.Lock()
			l.open[connection] = server
			l.mutex.Unlock()
			return connection
		}
	}
	return nil
}

// turn gives the servers in the order in which to try them: ready ones first.
func (l *Balancer) turn() (ready []string) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	first := l.next
	l.next++
	var others []string
	for i := range l.servers {
		server := l.servers[(first+i)%len(l.servers)]
		if l.unready[server] {
			others = append(others, server)
		} else {
			ready = append(ready, server)
		}
	}
	return append(ready, others...)
}

func (l *Balancer) forget(connection net.Conn) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	delete(l.open, connection)
}

func (l *Balancer) probe(server string) {
	for ; ; time.Sleep(time.Second) {
		code, _, err := Get(server + "/readyz")
		l.mark(server, err != nil || code != http.StatusOK)
	}
}

// mark closes the connections of a server that is not ready where there is another one.
func (l *Balancer) mark(server string, unready bool) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.unready[server] = unready
	others := false
	for _, other := range l.servers {
		others = others || !l.unready[other]
	}
	if !unready || !others {
		return
	}
	for connection, its := range l.open {
		if its == server {
			connection.Close()
		}
	}
}

// startSchedulersBalancer runs a balancer where kube-scheduler is, by this very program, and gives its URL.
func (b *Bed) startSchedulersBalancer() (string, error) {
	program, err := os.Executable()
	if err != nil {
		return "", err
	}
	address := fmt.Sprintf("127.0.0.1:%d", freePort())
	b.helper, err = b.startIn(SchedulerName, "balancer", program, append([]string{"-balance", address}, b.urls()...)...)
	return "https://" + address, err
}
