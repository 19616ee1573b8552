package answer

import (
	"fmt"
	"os"
)

// Counts is what all directories held. Method is upstream's own, against which each answer is held.
type Counts struct {
	Method                            string
	pods, ambiguous, panics, unproven int
}

// ExplainAll writes DIR/upstream.json of what explain says of each pod, by the pod's number. unproven: in what upstream's own
// method says something else.
func (c *Counts) ExplainAll(dir Directory, pods int, explain func(pod int) (e *Explanation, unproven error)) error {
	out, err := dir.NewWriter()
	if err != nil {
		return err
	}
	before := c.unproven
	for pod := 0; pod < pods; pod++ {
		e, unproven := explain(pod)
		c.pods++
		if e.Ambiguous {
			c.ambiguous++
		}
		if e.Panic != "" {
			c.panics++
		}
		if unproven != nil {
			fmt.Fprintf(os.Stderr, "%s: %s: %v\n", dir, e.Pod, unproven)
			c.unproven++
		}
		if err := out.Write(e); err != nil {
			return err
		}
	}
	if err := out.Close(); err != nil {
		return err
	}
	if c.unproven > before {
		return fmt.Errorf("%d answers are not %s's", c.unproven-before, c.Method)
	}
	return nil
}

// Print tells the counts, as the last line but for failures.
func (c *Counts) Print(program string) {
	fmt.Fprintf(os.Stderr, "%s: %d pods, of them %d ambiguous, %d that upstream panics at, %d that differ from %s\n",
		program, c.pods, c.ambiguous, c.panics, c.unproven, c.Method)
}
