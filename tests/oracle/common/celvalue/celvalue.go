// Package celvalue writes values of cel-go as cel/README.md has them. A program links it with the cel-go of its release.
package celvalue

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"gopkg.in/inf.v0"
	apiservercel "k8s.io/apiserver/pkg/cel"
)

type object = map[string]interface{}

// Written makes the typed value of an evaluated one.
func Written(value ref.Val) interface{} {
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
		return object{"optional": Written(of.GetValue())}
	case *types.Type:
		return object{"type": of.TypeName()}
	}
	return writtenOther(value)
}

func writtenOther(value ref.Val) interface{} {
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
		items := []interface{}{}
		for it := of.Iterator(); it.HasNext() == types.True; {
			items = append(items, Written(it.Next()))
		}
		return object{"list": items}
	case traits.Mapper:
		return object{"map": entries(of)}
	}
	return object{"other": fmt.Sprintf("%s %v", value.Type().TypeName(), value.Value())}
}

// entries are pairs, by the order of their keys' texts.
func entries(of traits.Mapper) []interface{} {
	pairs := map[string]interface{}{}
	keys := []string{}
	for it := of.Iterator(); it.HasNext() == types.True; {
		key := it.Next()
		name, _ := json.Marshal(Written(key))
		keys = append(keys, string(name))
		pairs[string(name)] = []interface{}{Written(key), Written(of.Get(key))}
	}
	sort.Strings(keys)
	sorted := []interface{}{}
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
