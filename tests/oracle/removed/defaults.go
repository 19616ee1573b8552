package main

import (
	"k8s.io/apimachinery/pkg/runtime"
	core "k8s.io/kubernetes/pkg/apis/core/v1"
	storage "k8s.io/kubernetes/pkg/apis/storage/v1"
)

// defaults are those that an API server sets on each object that it reads; the scheduler never sees one without them.
var defaults = runtime.NewScheme()

func init() {
	for _, register := range []func(*runtime.Scheme) error{core.RegisterDefaults, storage.RegisterDefaults} {
		if err := register(defaults); err != nil {
			panic(err)
		}
	}
}
