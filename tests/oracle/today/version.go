package main

import (
	"k8s.io/component-base/version"

	_ "unsafe" // For linkname.
)

// gitVersion is component-base/version's, which is otherwise set by the linker's flags.
//
//go:linkname gitVersion k8s.io/component-base/version.gitVersion
var gitVersion string

// beVersion makes upstream's code be of the release that it is: NodeDeclaredFeatures compares it.
func beVersion(release string) error {
	gitVersion = release
	return version.SetDynamicVersion(release)
}
