package bed

import "time"

// HoldBack has what the API servers send to Winnow come late by the lag, for every winnow that is started until the
// function that it gives is called.
func (b *Bed) HoldBack(lag time.Duration) (undo func(), err error) {
	undo = func() {
		for _, proxy := range b.proxies {
			proxy.Close()
		}
		b.proxies = nil
	}
	for _, server := range b.Servers {
		proxy, err := startProxy(server.URL, lag)
		if err != nil {
			undo()
			return nil, err
		}
		b.proxies = append(b.proxies, proxy)
	}
	return undo, nil
}

// forWinnow is where Winnow reaches the API servers.
func (b *Bed) forWinnow() (urls []string) {
	for _, proxy := range b.proxies {
		urls = append(urls, proxy.URL)
	}
	if len(urls) > 0 {
		return urls
	}
	return b.urls()
}
