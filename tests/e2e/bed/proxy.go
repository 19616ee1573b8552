package bed

import (
	"io"
	"net"
	"strings"
	"sync"
	"time"
)

// Proxy stands before an API server and holds back by a lag what the server sends; what the client sends passes at
// once. The order stays, and connections do not wait for each other.
type Proxy struct {
	URL string

	server   string
	lag      time.Duration
	listener net.Listener
	mutex    sync.Mutex
	open     map[net.Conn]bool // nil once it is closed.
}

// startProxy listens on loopback, for which the server's certificate is good.
func startProxy(server string, lag time.Duration) (*Proxy, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &Proxy{
		URL: "https://" + listener.Addr().String(), server: strings.TrimPrefix(server, "https://"), lag: lag,
		listener: listener, open: map[net.Conn]bool{},
	}
	go p.run()
	return p, nil
}

// Close ends all of its connections, too.
func (p *Proxy) Close() {
	p.listener.Close()
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for connection := range p.open {
		connection.Close()
	}
	p.open = nil
}

func (p *Proxy) run() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		go p.pass(client)
	}
}

func (p *Proxy) pass(client net.Conn) {
	defer client.Close()
	server, err := net.DialTimeout("tcp", p.server, time.Second)
	if err != nil {
		return
	}
	defer server.Close()
	if !p.keep(client, server) {
		return
	}
	defer p.forget(client, server)
	go func() {
		io.Copy(server, client)
		server.(*net.TCPConn).CloseWrite()
	}()
	holdBack(client, server, p.lag)
}

func (p *Proxy) keep(connections ...net.Conn) bool {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.open == nil {
		return false
	}
	for _, connection := range connections {
		p.open[connection] = true
	}
	return true
}

func (p *Proxy) forget(connections ...net.Conn) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for _, connection := range connections {
		delete(p.open, connection)
	}
}

// piece is what one read has given, and when it goes on.
type piece struct {
	due  time.Time
	data []byte
}

// holdBack copies until either side ends.
func holdBack(to, from net.Conn, lag time.Duration) {
	queue := make(chan piece, 4096)
	go func() {
		defer close(queue)
		buffer := make([]byte, 64<<10)
		for {
			count, err := from.Read(buffer)
			if count > 0 {
				queue <- piece{time.Now().Add(lag), append([]byte(nil), buffer[:count]...)}
			}
			if err != nil {
				return
			}
		}
	}()
	for next := range queue {
		time.Sleep(time.Until(next.due))
		if _, err := to.Write(next.data); err != nil {
			break
		}
	}
	from.Close() // The reader ends, if it has not; what it still has to say is dropped.
	for range queue {
	}
}
