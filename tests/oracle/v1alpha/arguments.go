package main

import (
	"encoding/json"
	"reflect"
	"sort"
	"strings"

	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	framework "k8s.io/kubernetes/pkg/scheduler/framework/v1alpha1"
)

// held names the fields in which a plugin keeps its arguments. In v1.18 a plugin decodes them itself, so that only the plugin
// knows what it took.
var held = map[string]string{
	"InterPodAffinity":         "Args",
	"NodeLabel":                "Args",
	"NodeResourcesFit":         "ignoredResources",
	"PodTopologySpread":        "Args",
	"RequestedToCapacityRatio": "resourceToWeightMap",
	"ServiceAffinity":          "args",
}

// arguments are those that the framework's plugins keep. A shape is in a closure, so it is what the file says.
func arguments(made framework.Framework, configured []config.PluginConfig) (map[string]interface{}, error) {
	found := map[string]interface{}{}
	lists := reflect.ValueOf(made).Elem()
	for _, list := range []string{"preFilterPlugins", "filterPlugins", "preScorePlugins", "scorePlugins"} {
		plugins := lists.FieldByName(list)
		for i := 0; i < plugins.Len(); i++ {
			plugin := plugins.Index(i).Elem().Elem()
			name := plugin.Type().Name()
			if name == "Fit" {
				name = "NodeResourcesFit"
			}
			if field, ok := held[name]; ok {
				found[name] = plain(plugin.FieldByName(field))
			}
		}
	}
	if ignored, ok := found["NodeResourcesFit"]; ok {
		found["NodeResourcesFit"] = map[string]interface{}{"ignoredResources": ignored}
	}
	if resources, ok := found["RequestedToCapacityRatio"]; ok {
		args := config.RequestedToCapacityRatioArguments{}
		for _, one := range configured {
			if one.Name == "RequestedToCapacityRatio" {
				if err := json.Unmarshal(one.Args.Raw, &args); err != nil {
					return nil, err
				}
			}
		}
		found["RequestedToCapacityRatio"] = map[string]interface{}{"resources": resources, "shape": plain(reflect.ValueOf(args.Shape))}
	}
	return found, nil
}

// plain makes JSON's values of unexported ones. A set is a sorted list.
func plain(value reflect.Value) interface{} {
	switch value.Kind() {
	case reflect.Ptr, reflect.Interface:
		if value.IsNil() {
			return nil
		}
		return plain(value.Elem())
	case reflect.Struct:
		fields := map[string]interface{}{}
		for i := 0; i < value.NumField(); i++ {
			name := value.Type().Field(i).Name
			fields[strings.ToLower(name[:1])+name[1:]] = plain(value.Field(i))
		}
		return fields
	case reflect.Map:
		return plainMap(value)
	case reflect.Slice:
		list := []interface{}{}
		for i := 0; i < value.Len(); i++ {
			list = append(list, plain(value.Index(i)))
		}
		return list
	case reflect.String:
		return value.String()
	case reflect.Bool:
		return value.Bool()
	default:
		return value.Int()
	}
}

func plainMap(value reflect.Value) interface{} {
	keys := []string{}
	fields := map[string]interface{}{}
	for _, key := range value.MapKeys() {
		keys = append(keys, key.String())
		if value.Type().Elem().Kind() != reflect.Struct {
			fields[key.String()] = plain(value.MapIndex(key))
		}
	}
	if value.Type().Elem().Kind() != reflect.Struct {
		return weights(keys, fields)
	}
	sort.Strings(keys)
	return keys
}

// weights lists resources as the arguments of later releases do.
func weights(names []string, of map[string]interface{}) interface{} {
	sort.Strings(names)
	list := []interface{}{}
	for _, name := range names {
		list = append(list, map[string]interface{}{"name": name, "weight": of[name]})
	}
	return list
}
