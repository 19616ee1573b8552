// Package truth reads from etcd itself what became of nodes and pods, change by change in the order in which they took
// effect, and judges each binding by what was there at that moment.
package truth

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
)

// The keys of nodes and pods, and all between them: one watch, so that their order is etcd's.
const (
	nodesPrefix = "/registry/minions/"
	podsPrefix  = "/registry/pods/"
	end         = "/registry/pods0"
)

// Change is what one write did to a node or a pod. Of what was deleted both are nil.
type Change struct {
	At       time.Time // When it was heard of.
	Revision int64
	Key      string // Without its prefix: NAME of a node, NAMESPACE/NAME of a pod.
	IsNode   bool
	Node     *v1.Node
	Pod      *v1.Pod
}

// Follow calls with each change since the revision, until the context ends. It outlives an etcd that is killed and
// comes back with its data. An error is for ever: a change was missed.
func Follow(ctx context.Context, etcd string, revision int64, saw func(Change)) error {
	for ctx.Err() == nil {
		if err := follow(ctx, etcd, &revision, saw); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
		case <-time.After(200 * time.Millisecond):
		}
	}
	return nil
}

// follow is one watch. What ends it is no error, unless another one would not help.
func follow(ctx context.Context, etcd string, revision *int64, saw func(Change)) error {
	want, _ := json.Marshal(map[string]any{"create_request": map[string]any{
		"key": []byte(nodesPrefix), "range_end": []byte(end), "start_revision": strconv.FormatInt(*revision, 10)}})
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, etcd+"/v3/watch", bytes.NewReader(want))
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil
	}
	defer answer.Body.Close()
	for stream := json.NewDecoder(answer.Body); ; {
		var message struct{ Result watchResult }
		if stream.Decode(&message) != nil {
			return nil
		}
		if message.Result.Compact != "" && message.Result.Compact != "0" {
			return fmt.Errorf("etcd has compacted up to %s, and %d was to come", message.Result.Compact, *revision)
		}
		for _, event := range message.Result.Events {
			change, err := event.change()
			if err != nil {
				return err
			}
			*revision = change.Revision + 1
			if change.Key != "" {
				saw(change)
			}
		}
	}
}

// watchResult is a message as etcd's JSON gateway writes it: numbers are texts.
type watchResult struct {
	Events  []event
	Compact string `json:"compact_revision"`
}

type event struct {
	Type string
	KV   struct {
		Key, Value []byte
		Revision   string `json:"mod_revision"`
	}
}

func (e event) change() (c Change, err error) {
	c.At = time.Now()
	if c.Revision, err = strconv.ParseInt(e.KV.Revision, 10, 64); err != nil {
		return c, fmt.Errorf("etcd's revision %q: %w", e.KV.Revision, err)
	}
	key := string(e.KV.Key)
	switch {
	case strings.HasPrefix(key, nodesPrefix):
		c.Key, c.IsNode = key[len(nodesPrefix):], true
	case strings.HasPrefix(key, podsPrefix):
		c.Key = key[len(podsPrefix):]
	default:
		return c, nil
	}
	if e.Type == "DELETE" {
		return c, nil
	}
	object, _, err := scheme.Codecs.UniversalDeserializer().Decode(e.KV.Value, nil, nil)
	if err != nil {
		return c, fmt.Errorf("%s in etcd: %w", key, err)
	}
	return c, c.take(object)
}

func (c *Change) take(object runtime.Object) error {
	switch is := object.(type) {
	case *v1.Node:
		c.Node = is
	case *v1.Pod:
		c.Pod = is
	default:
		return fmt.Errorf("%s in etcd is a %T", c.Key, object)
	}
	return nil
}

// Revision is etcd's newest.
func Revision(etcd string) (int64, error) {
	body := fmt.Sprintf(`{"key":%q,"count_only":true}`, base64.StdEncoding.EncodeToString([]byte(nodesPrefix)))
	answer, err := http.Post(etcd+"/v3/kv/range", "application/json", strings.NewReader(body))
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	var said struct{ Header struct{ Revision string } }
	if err := json.NewDecoder(answer.Body).Decode(&said); err != nil {
		return 0, err
	}
	return strconv.ParseInt(said.Header.Revision, 10, 64)
}
