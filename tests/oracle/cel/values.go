package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"gopkg.in/inf.v0"
	resourceapi "k8s.io/api/resource/v1"
	apiservercel "k8s.io/apiserver/pkg/cel"
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

type object = map[string]any

// written makes the typed value of an evaluated one.
func written(value ref.Val) any {
	switch of := value.(type) {
	case types.Null:
		return object{"null": true}
	case types.Bool:
		return object{"bool": bool(of)}
	case types.Int:
		return object{"int": strconv.FormatInt(int64(of), 10)}
	case types.Uint:
		return object{"uint": strconv.FormatUint(uint64(of), 10)}
	case types.Double:
		return object{"double": strconv.FormatFloat(float64(of), 'e', -1, 64)}
	case types.String:
		if !utf8.ValidString(string(of)) {
			return object{"string64": base64.StdEncoding.EncodeToString([]byte(of))}
		}
		return object{"string": string(of)}
	case types.Bytes:
		return object{"bytes": base64.StdEncoding.EncodeToString([]byte(of))}
	case types.Timestamp:
		return object{"timestamp": []string{strconv.FormatInt(of.Unix(), 10), strconv.Itoa(of.Nanosecond())}}
	case types.Duration:
		return object{"duration": strconv.FormatInt(of.Nanoseconds(), 10)}
	case *types.Optional:
		if !of.HasValue() {
			return object{"optional": nil}
		}
		return object{"optional": written(of.GetValue())}
	case *types.Type:
		return object{"type": of.TypeName()}
	}
	return writtenOther(value)
}

func writtenOther(value ref.Val) any {
	switch of := value.(type) {
	case apiservercel.Quantity:
		return object{"quantity": digits(of.AsDec())}
	case *apiservercel.Quantity:
		return object{"quantity": digits(of.AsDec())}
	case apiservercel.Semver:
		return object{"semver": of.Version.String()}
	case apiservercel.IP:
		return object{"ip": of.Addr.String()}
	case apiservercel.CIDR:
		return object{"cidr": of.Prefix.String()}
	case apiservercel.URL:
		return object{"url": of.URL.String()}
	case apiservercel.Format:
		return object{"format": of.Name}
	case *apiservercel.Format:
		return object{"format": of.Name}
	case traits.Lister:
		items := []any{}
		for it := of.Iterator(); it.HasNext() == types.True; {
			items = append(items, written(it.Next()))
		}
		return object{"list": items}
	case traits.Mapper:
		return object{"map": entries(of)}
	}
	return object{"other": fmt.Sprintf("%s %v", value.Type().TypeName(), value.Value())}
}

// entries are pairs, by the order of their keys' texts.
func entries(of traits.Mapper) []any {
	pairs := map[string]any{}
	keys := []string{}
	for it := of.Iterator(); it.HasNext() == types.True; {
		key := it.Next()
		name, _ := json.Marshal(written(key))
		keys = append(keys, string(name))
		pairs[string(name)] = []any{written(key), written(of.Get(key))}
	}
	slices.Sort(keys)
	sorted := []any{}
	for _, key := range keys {
		sorted = append(sorted, pairs[key])
	}
	return sorted
}

// digits is the amount as digits and a power of ten, without zeros at the end.
func digits(amount *inf.Dec) string {
	if amount.Sign() == 0 {
		return "0e0"
	}
	all := amount.UnscaledBig().String()
	short := strings.TrimRight(all, "0")
	return fmt.Sprintf("%se%d", short, -int64(amount.Scale())+int64(len(all)-len(short)))
}
