package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/google/cel-go/common/types"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// objectTypes are the types of the objects that expressions read, by name and then by field.
type objectTypes map[string]map[string]*types.Type

// addV1 adds the type of an object of the API, and those of its fields.
func (o objectTypes) addV1(object reflect.Type) *types.Type {
	if o[object.Name()] == nil {
		o[object.Name()] = map[string]*types.Type{}
		eachField(object, func(name string, of reflect.Type) { o[object.Name()][name] = o.typeOf(of) })
	}
	return types.NewObjectType(object.Name())
}

// eachField visits the fields by their names in JSON, those of an embedded object as the object's own.
func eachField(object reflect.Type, visit func(name string, of reflect.Type)) {
	for i := range object.NumField() {
		field := object.Field(i)
		switch name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name {
		case "managedFields":
		case "":
			eachField(field.Type, visit)
		default:
			visit(name, field.Type)
		}
	}
}

func (o objectTypes) typeOf(t reflect.Type) *types.Type {
	switch t {
	case reflect.TypeFor[metav1.Time]():
		return types.TimestampType
	case reflect.TypeFor[resource.Quantity]():
		return types.StringType
	case reflect.TypeFor[intstr.IntOrString]():
		return types.DynType
	}
	switch t.Kind() {
	case reflect.Pointer:
		return o.typeOf(t.Elem())
	case reflect.Bool:
		return types.BoolType
	case reflect.Int32, reflect.Int64:
		return types.IntType
	case reflect.String:
		return types.StringType
	case reflect.Slice:
		return types.NewListType(o.typeOf(t.Elem()))
	case reflect.Map:
		return types.NewMapType(types.StringType, o.typeOf(t.Elem()))
	case reflect.Struct:
		return o.addV1(t)
	}
	panic("a field of an unknown type: " + t.String())
}

// provider knows these types beside those of another one.
type provider struct {
	types.Provider
	objects objectTypes
}

func (p provider) FindStructType(name string) (*types.Type, bool) {
	if p.objects[name] != nil {
		return types.NewTypeTypeWithParam(types.NewObjectType(name)), true
	}
	return p.Provider.FindStructType(name)
}

func (p provider) FindStructFieldType(name, field string) (*types.FieldType, bool) {
	if p.objects[name] == nil {
		return p.Provider.FindStructFieldType(name, field)
	}
	of, found := p.objects[name][field]
	return &types.FieldType{Type: of}, found
}

// nativeV1 makes of JSON, decoded with json.Number, what CEL has for a field of a type of the API. What is null is not there.
func nativeV1(written any, t reflect.Type) any {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch of := written.(type) {
	case map[string]any:
		return nativeObject(of, t)
	case []any:
		items := []any{}
		for _, item := range of {
			items = append(items, nativeV1(item, elementOf(t)))
		}
		return items
	case json.Number:
		if t == reflect.TypeFor[resource.Quantity]() {
			return of.String()
		}
		if number, err := of.Int64(); err == nil {
			return number
		}
		number, _ := of.Float64()
		return number
	case string:
		if t == reflect.TypeFor[metav1.Time]() {
			at, err := time.Parse(time.RFC3339, of)
			if err != nil {
				panic(fmt.Sprintf("no time: %q", of))
			}
			return at
		}
	}
	return written
}

func nativeObject(of map[string]any, t reflect.Type) any {
	made := map[string]any{}
	fields := map[string]reflect.Type{}
	if t.Kind() == reflect.Struct {
		eachField(t, func(name string, of reflect.Type) { fields[name] = of })
	}
	for name, value := range of {
		field, known := fields[name]
		if t.Kind() == reflect.Map {
			field, known = t.Elem(), true
		}
		if !known {
			field = reflect.TypeFor[any]()
		}
		if value != nil {
			made[name] = nativeV1(value, field)
		}
	}
	return made
}

func elementOf(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Slice {
		return t.Elem()
	}
	return reflect.TypeFor[any]()
}

// addTypes adds those of pods, and of nodes and the cluster where these are known.
func addTypes(o objectTypes, withNodes bool) {
	amounts, text, count := types.NewMapType(types.StringType, types.DoubleType), types.StringType, types.IntType
	metadata := o.addV1(reflect.TypeFor[metav1.ObjectMeta]())
	o["Pod"] = map[string]*types.Type{"metadata": metadata, "spec": o.addV1(reflect.TypeFor[v1.PodSpec]()), "requests": amounts}
	if !withNodes {
		return
	}
	condition := o.addV1(reflect.TypeFor[v1.NodeCondition]())
	o["NodeStatus"] = map[string]*types.Type{"conditions": types.NewListType(condition)}
	o["Image"] = map[string]*types.Type{"size": count, "nodes": count}
	o["Usage"] = map[string]*types.Type{"cpu": types.DoubleType, "memory": types.DoubleType, "age": types.DurationType}
	o["Node"] = map[string]*types.Type{
		"metadata": metadata, "spec": o.addV1(reflect.TypeFor[v1.NodeSpec]()), "status": types.NewObjectType("NodeStatus"),
		"capacity": amounts, "allocatable": amounts, "requested": amounts, "pods": count,
		"images": types.NewMapType(text, types.NewObjectType("Image")), "usage": types.NewObjectType("Usage"), "metrics": amounts,
	}
	o["Domain"] = map[string]*types.Type{"allocatable": amounts, "requested": amounts, "pods": count}
	o["Cluster"] = map[string]*types.Type{"nodes": count, "pods": count}
}

// nativeParams are the arguments' own, of any type.
func nativeParams(of map[string]any) map[string]any {
	return nativeObject(of, reflect.TypeFor[map[string]any]()).(map[string]any)
}
