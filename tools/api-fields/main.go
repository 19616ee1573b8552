// Writes cluster/admission/api_fields.inc: the fields of the kinds that Winnow reads, as an API server of Kubernetes 1.37
// knows them. A line is a type: its name, and its fields by name. NAME:TYPE is an object, NAME:[]TYPE a list of objects,
// NAME:{}TYPE a map of them; a field without a type has nothing below it that could be misspelt.
//
// Run it in its directory: go run . >../../cluster/admission/api_fields.inc
package main

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	apps "k8s.io/api/apps/v1"
	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	node "k8s.io/api/node/v1"
	policy "k8s.io/api/policy/v1"
	resources "k8s.io/api/resource/v1"
	scheduling "k8s.io/api/scheduling/v1"
	storage "k8s.io/api/storage/v1"
)

// roots are the kinds: a root's type has the kind's name, and its group where that is not the core's.
var roots = []any{
	core.Pod{}, core.Node{}, core.Namespace{}, core.Service{}, core.ReplicationController{}, core.PersistentVolume{},
	core.PersistentVolumeClaim{}, core.LimitRange{}, core.ResourceQuota{},
	apps.Deployment{}, apps.ReplicaSet{}, apps.StatefulSet{}, apps.DaemonSet{}, batch.Job{}, batch.CronJob{},
	node.RuntimeClass{}, policy.PodDisruptionBudget{}, scheduling.PriorityClass{}, resources.DeviceClass{},
	resources.ResourceClaim{}, resources.ResourceClaimTemplate{}, resources.ResourceSlice{}, resources.DeviceTaintRule{},
	storage.StorageClass{}, storage.CSINode{}, storage.CSIDriver{}, storage.CSIStorageCapacity{}, storage.VolumeAttachment{},
}

// lines by type.
var lines = map[string]string{}

func main() {
	for _, root := range roots {
		visit(reflect.TypeOf(root))
	}
	fmt.Println("// Made by tools/api-fields; see there.\nR\"fields(")
	for _, name := range slices.Sorted(maps.Keys(lines)) {
		fmt.Println(name + lines[name])
	}
	fmt.Println(")fields\"")
}

// nameOf gives a type a name of its own: two packages may have one of the same name.
func nameOf(t reflect.Type) string {
	parts := strings.Split(t.PkgPath(), "/")
	group := parts[len(parts)-2]
	if group == "core" || group == "meta" || group == "apis" {
		return t.Name()
	}
	return t.Name() + "." + group
}

// visit adds the line of a struct, and of all below it.
func visit(t reflect.Type) {
	name := nameOf(t)
	if _, known := lines[name]; known {
		return
	}
	lines[name] = ""
	line := ""
	for i := range t.NumField() {
		line += field(t.Field(i))
	}
	lines[name] = line
}

func field(f reflect.StructField) string {
	tag, options, _ := strings.Cut(f.Tag.Get("json"), ",")
	if tag == "" && (strings.Contains(options, "inline") || f.Anonymous) {
		line := ""
		for i := range f.Type.NumField() {
			line += field(f.Type.Field(i))
		}
		return line
	}
	if tag == "" || tag == "-" {
		return ""
	}
	t, mark := f.Type, ""
	for {
		switch t.Kind() {
		case reflect.Pointer:
			t = t.Elem()
			continue
		case reflect.Slice:
			t, mark = t.Elem(), mark+"[]"
			continue
		case reflect.Map:
			t, mark = t.Elem(), mark+"{}"
			continue
		}
		break
	}
	if t.Kind() != reflect.Struct || opaque(t) {
		return " " + tag
	}
	visit(t)
	return " " + tag + ":" + mark + nameOf(t)
}

// opaque types are written in a form of their own.
func opaque(t reflect.Type) bool {
	switch t.Name() {
	case "Quantity", "Time", "MicroTime", "Duration", "IntOrString", "FieldsV1", "RawExtension":
		return true
	}
	return false
}
