// Package held has the kinds of pods that kube-scheduler does not place, beside pods that have room.
package held

import (
	"context"
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"
	"winnow.test/e2e/cluster"
)

// Nodes is how many there are: node-0000, …, each of 4 cpu. A pod of 3 cpu on each leaves no room for one of 2.
const Nodes = 6

// Kind is one reason for which kube-scheduler does not place some pods.
type Kind struct {
	Name      string
	PodGroups bool                                        // kube-scheduler has the gate for them.
	Prepare   func(s *Stage) error                        // What all tries share; may be nil.
	Low       func(try int) []*v1.Pod                     // Run, and must not be evicted; may be nil.
	Before    func(s *Stage, prefix string) error         // What one try needs; may be nil.
	Unplaced  func(prefix string) []*v1.Pod               // Those that are not placed.
	Pause     time.Duration                               // Between them and the ordinary ones.
	Ordinary  func(prefix string) []*v1.Pod               // They have room: how long they wait is measured. May be nil.
	Rounds    int                                         // Both are made so often, Every apart; 0 and 1 are once.
	Room      func(s *Stage, prefix string) error         // Lets the unplaced ones in: how long they wait is measured.
	After     func(s *Stage, prefix string) error         // Undoes Room and Before; may be nil.
	Helper    func(s *Stage, prefix string) (stop func()) // Plays a controller; may be nil.
}

// Every is the time between two rounds.
const Every = 500 * time.Millisecond

// Stage is where a kind is played.
type Stage struct {
	*cluster.Cluster
	Ctx context.Context
}

// All kinds, in the order of the table.
func All() []Kind {
	return []Kind{noClaim(), noTemplate(), noClaims(), noClaimAbove(), noDevice(), refusedVolume(), fewPods(), largeGang(),
		roomForGang(), devices()}
}

// Telling are some of each sort, for a short run.
func Telling() []Kind { return []Kind{noClaim(), refusedVolume(), fewPods(), devices()} }

// deviceClaim is the claim that all pods of a try share.
const deviceClaim = "a-device"

// settled is long enough for a nomination of each unplaced pod.
const settled = time.Second

func large(prefix string, edits ...func(*v1.Pod)) []*v1.Pod {
	return cluster.Pods(prefix+"-unplaced", Nodes, append(edits, cluster.Requests("3", "1Gi"))...)
}

func ordinary(count int, edits ...func(*v1.Pod)) func(prefix string) []*v1.Pod {
	return func(prefix string) []*v1.Pod {
		return cluster.Pods(prefix+"-ordinary", count, append(edits, cluster.Requests("2", "1Gi"))...)
	}
}

// noClaim: the pods name a claim that nobody has made.
func noClaim() Kind {
	return Kind{
		Name:     "no claim",
		Unplaced: func(prefix string) []*v1.Pod { return large(prefix, cluster.ClaimsDevice("missing")) },
		Pause:    settled, Ordinary: ordinary(4),
	}
}

// noTemplate: nobody makes the claim of a template.
func noTemplate() Kind {
	return Kind{
		Name:     "no claim template",
		Unplaced: func(prefix string) []*v1.Pod { return large(prefix, cluster.ClaimsDeviceBy("missing")) },
		Pause:    settled, Ordinary: ordinary(4),
	}
}

// noClaims: such pods come in a stream, and ordinary ones between them.
func noClaims() Kind {
	return Kind{
		Name: "no claim in a stream",
		Unplaced: func(prefix string) []*v1.Pod {
			return []*v1.Pod{cluster.Pod(prefix+"-unplaced", cluster.ClaimsDevice("missing"), cluster.Requests("3", "1Gi"))}
		},
		Ordinary: func(prefix string) []*v1.Pod {
			return []*v1.Pod{cluster.Pod(prefix+"-ordinary", cluster.Requests("2", "1Gi"))}
		},
		Rounds: 10,
	}
}

// lowPods run, one on each node, and leave 3 cpu.
func lowPods(int) (pods []*v1.Pod) {
	for i := range Nodes {
		node := fmt.Sprintf("node-%04d", i)
		pods = append(pods, cluster.Pod("low-"+node, cluster.On(node), cluster.Priority("low"), cluster.Requests("1", "1Gi")))
	}
	return pods
}

// noClaimAbove: pods of lower priority run, and leave room for the ordinary ones.
func noClaimAbove() Kind {
	return Kind{
		Name: "no claim above others",
		Low:  lowPods,
		Unplaced: func(prefix string) []*v1.Pod {
			return large(prefix, cluster.ClaimsDevice("missing"), cluster.Priority("mid"))
		},
		Pause: settled, Ordinary: ordinary(4, cluster.Priority("mid")),
	}
}

// noDevice: the pods' claims are there, and nobody has such a device. The ordinary ones come while these are tried.
func noDevice() Kind {
	return Kind{
		Name:    "no device above others",
		Prepare: func(s *Stage) error { return s.AddDeviceClass(s.Ctx, "none", "") },
		Low:     lowPods,
		Before:  func(s *Stage, _ string) error { return s.AddDeviceClaim(s.Ctx, deviceClaim, "none") },
		After:   func(s *Stage, _ string) error { return s.ClearClaims(s.Ctx) },
		Unplaced: func(prefix string) []*v1.Pod {
			return []*v1.Pod{cluster.Pod(prefix+"-unplaced", cluster.ClaimsDevice(deviceClaim), cluster.Priority("mid"),
				cluster.Requests("3", "1Gi"))}
		},
		Pause: 100 * time.Millisecond, Ordinary: ordinary(4, cluster.Priority("mid")),
		Rounds: 6,
	}
}

// devices: a DeviceClass provides an extended resource, and each node has two such devices. These pods are placed.
func devices() Kind {
	const name = "e2e.example/device"
	return Kind{
		Name: "an extended resource of devices",
		Prepare: func(s *Stage) error {
			for i := range Nodes {
				if err := s.AddDevices(s.Ctx, fmt.Sprintf("node-%04d", i), 2); err != nil {
					return err
				}
			}
			return s.AddDeviceClass(s.Ctx, "devices", name)
		},
		Ordinary: ordinary(4, cluster.Wants(name, "1")),
		After:    func(s *Stage, _ string) error { return s.ClearClaims(s.Ctx) },
	}
}
