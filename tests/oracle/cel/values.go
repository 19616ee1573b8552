package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	resourceapi "k8s.io/api/resource/v1"
)

// read makes a native value of a typed one, as README.md has them.
func read(typed any) (any, error) {
	object, ok := typed.(map[string]any)
	if !ok || len(object) != 1 {
		return nil, fmt.Errorf("no typed value: %v", typed)
	}
	for kind, of := range object {
		switch kind {
		case "null":
			return nil, nil
		case "bool":
			return of.(bool), nil
		case "int":
			return strconv.ParseInt(of.(string), 10, 64)
		case "uint":
			return strconv.ParseUint(of.(string), 10, 64)
		case "double":
			return strconv.ParseFloat(of.(string), 64)
		case "string":
			return of.(string), nil
		case "bytes":
			return base64.StdEncoding.DecodeString(of.(string))
		case "timestamp":
			return readTime(of.([]any))
		case "duration":
			nanos, err := strconv.ParseInt(of.(string), 10, 64)
			return time.Duration(nanos), err
		case "list":
			return readList(of.([]any))
		case "map":
			return readMap(of.([]any))
		}
		return nil, fmt.Errorf("unknown kind %q", kind)
	}
	return nil, nil
}

func readTime(of []any) (any, error) {
	seconds, err := strconv.ParseInt(of[0].(string), 10, 64)
	if err != nil {
		return nil, err
	}
	nanos, err := strconv.ParseInt(of[1].(string), 10, 64)
	return time.Unix(seconds, nanos).UTC(), err
}

func readList(of []any) (any, error) {
	list := make([]any, len(of))
	for i, item := range of {
		value, err := read(item)
		if err != nil {
			return nil, err
		}
		list[i] = value
	}
	return list, nil
}

// readMap makes what the API has where every key is a string.
func readMap(of []any) (any, error) {
	byString, byValue := map[string]any{}, map[ref.Val]ref.Val{}
	for _, entry := range of {
		key, err := read(entry.([]any)[0])
		if err != nil {
			return nil, err
		}
		value, err := read(entry.([]any)[1])
		if err != nil {
			return nil, err
		}
		if text, ok := key.(string); ok {
			byString[text] = value
		}
		byValue[types.DefaultTypeAdapter.NativeToValue(key)] = types.DefaultTypeAdapter.NativeToValue(value)
	}
	if len(byString) == len(byValue) {
		return byString, nil
	}
	return byValue, nil
}

// forDRA makes an attribute of DRA's API of a typed value.
func forDRA(typed map[string]any) (*resourceapi.DeviceAttribute, error) {
	text, err := json.Marshal(typed)
	if err != nil {
		return nil, err
	}
	made := &resourceapi.DeviceAttribute{}
	return made, json.Unmarshal(text, made)
}
