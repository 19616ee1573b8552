package waiting

import (
	"context"
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"winnow.test/e2e/cluster"
)

func claimOf(try int) string { return fmt.Sprintf("data-%d", try) }

func volumeOf(try int) string { return fmt.Sprintf("volume-%d", try) }

func claims(name string, try int) *v1.Pod { return cluster.Pod(name, cluster.Claims(claimOf(try))) }

func noVolumes(s *Stage, try int) error {
	if err := s.RemoveClaim(s.Ctx, claimOf(try)); err != nil {
		return err
	}
	return s.RemoveVolume(s.Ctx, volumeOf(try))
}

// volume: the claim is bound to a volume that is not there yet.
func volume() Kind {
	return Kind{
		Name: "volume added", Prepare: alone, Pod: claims,
		Before: func(s *Stage, try int) error {
			return s.AddClaim(s.Ctx, cluster.Claim(claimOf(try), cluster.BoundTo(volumeOf(try))))
		},
		Event: func(s *Stage, try int) error {
			return s.AddVolume(s.Ctx, cluster.Volume(volumeOf(try), cluster.LocalOn(node(try)), cluster.For(claimOf(try))))
		},
		After: noVolumes,
	}
}

// claim: the pod names a claim that is not there yet; its volume is.
func claim() Kind {
	return Kind{
		Name: "claim made", Prepare: alone, Pod: claims,
		Before: func(s *Stage, try int) error {
			return s.AddVolume(s.Ctx, cluster.Volume(volumeOf(try), cluster.LocalOn(node(try)), cluster.For(claimOf(try))))
		},
		Event: func(s *Stage, try int) error {
			return s.AddClaim(s.Ctx, cluster.Claim(claimOf(try), cluster.BoundTo(volumeOf(try))))
		},
		After: noVolumes,
	}
}

const late = "late"

// lateVolume: the claim waits for its first pod, and there is no volume of its class. The time has the volume
// controller's in it, which the helper plays, and kube-scheduler's look for its work once a second.
func lateVolume() Kind {
	return Kind{
		Name: "late volume added", Pod: claims,
		Prepare: func(s *Stage) error { return s.AddLateClass(s.Ctx, late, cluster.NoProvisioner) },
		Before: func(s *Stage, try int) error {
			return s.AddClaim(s.Ctx, cluster.Claim(claimOf(try), cluster.OfClass(late)))
		},
		Event: func(s *Stage, try int) error {
			fresh := cluster.Volume(volumeOf(try), cluster.LocalOn(node(try)), cluster.VolumeOfClass(late))
			return s.AddAvailableVolume(s.Ctx, fresh)
		},
		Helper: bindLate, After: noVolumes,
	}
}

// bindLate completes the claim as soon as kube-scheduler has written it into the volume.
func bindLate(s *Stage, try int) (stop func()) {
	ctx, cancel := context.WithCancel(s.Ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ; ctx.Err() == nil; time.Sleep(20 * time.Millisecond) {
			volume, err := s.Client.CoreV1().PersistentVolumes().Get(ctx, volumeOf(try), meta.GetOptions{})
			if err == nil && volume.Spec.ClaimRef != nil && s.CompleteClaim(ctx, claimOf(try), volumeOf(try)) == nil {
				return
			}
		}
	}()
	return func() {
		cancel()
		<-done
	}
}
