package bed

import (
	"io"
	"net"
	"strings"
	"sync"
	"time"
)

// Balancer passes connections on to the API servers, to each in turn among those that take them. What is to outlive the
// loss of one server goes through it: kube-scheduler and the scenarios' own clients. (Winnow has its own.)
type Balancer struct {
	URL string

	bed      *Bed
	listener net.Listener
	mutex    sync.Mutex
	next     int
}

func (b *Bed) startBalancer() (err error) {
	balancer := &Balancer{bed: b}
	if balancer.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return err
	}
	balancer.URL = "https://" + balancer.listener.Addr().String()
	b.Balancer = balancer
	go balancer.run()
	return nil
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
	l.mutex.Lock()
	first := l.next
	l.next++
	l.mutex.Unlock()
	for i := range l.bed.Servers {
		server := l.bed.Servers[(first+i)%len(l.bed.Servers)]
		if connection, err := net.DialTimeout("tcp", strings.TrimPrefix(server.URL, "https://"), time.Second); err == nil {
			return connection
		}
	}
	return nil
}
