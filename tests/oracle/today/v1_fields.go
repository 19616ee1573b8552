package main

import (
	"fmt"
	"reflect"
	"sort"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// fieldLister lists the fields of API types, and of the types of these fields: cluster/fields/v1_fields.inc.
type fieldLister struct {
	done  map[string]bool
	lines []string
}

// printV1Fields prints the fields of pods and nodes that expressions may read, a line each.
func printV1Fields() error {
	lister := fieldLister{done: map[string]bool{}}
	for _, object := range []any{metav1.ObjectMeta{}, v1.PodSpec{}, v1.NodeSpec{}, v1.NodeCondition{}} {
		lister.add(reflect.TypeOf(object))
	}
	sort.Strings(lister.lines)
	for _, line := range lister.lines {
		fmt.Printf("    %q,\n", line)
	}
	return nil
}

func (l *fieldLister) add(object reflect.Type) {
	if !l.done[object.Name()] {
		l.done[object.Name()] = true
		l.addFields(object, object.Name())
	}
}

// addFields adds an embedded object's fields as the object's own.
func (l *fieldLister) addFields(object reflect.Type, name string) {
	for i := range object.NumField() {
		field := object.Field(i)
		switch key, _, _ := strings.Cut(field.Tag.Get("json"), ","); key {
		case "managedFields":
		case "":
			l.addFields(field.Type, name)
		default:
			l.lines = append(l.lines, fmt.Sprintf("%s.%s %s", name, key, l.nameOf(field.Type)))
		}
	}
}

func (l *fieldLister) nameOf(t reflect.Type) string {
	switch t {
	case reflect.TypeFor[metav1.Time]():
		return "timestamp"
	case reflect.TypeFor[resource.Quantity]():
		return "quantity"
	case reflect.TypeFor[intstr.IntOrString]():
		return "dyn"
	}
	switch t.Kind() {
	case reflect.Pointer:
		return l.nameOf(t.Elem())
	case reflect.Bool:
		return "bool"
	case reflect.Int32, reflect.Int64:
		return "int"
	case reflect.String:
		return "string"
	case reflect.Slice:
		return "list " + l.nameOf(t.Elem())
	case reflect.Map:
		return "map " + l.nameOf(t.Elem())
	case reflect.Struct:
		l.add(t)
		return t.Name()
	}
	panic("a field of an unknown type: " + t.String())
}
