package bed

import "fmt"

// Busy starts so many endless loops beside all else, and gives what ends them.
func (b *Bed) Busy(loops int) (end func(), err error) {
	var all []*Process
	end = func() {
		for _, loop := range all {
			loop.Kill()
		}
	}
	for i := range loops {
		loop, err := startProcess(b.folder, fmt.Sprintf("busy-%d", i), "sh", "-c", "while :; do :; done")
		if err != nil {
			end()
			return nil, err
		}
		all = append(all, loop)
	}
	return end, nil
}
