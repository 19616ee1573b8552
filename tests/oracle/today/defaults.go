package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	core "k8s.io/kubernetes/pkg/apis/core"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	corev1 "k8s.io/kubernetes/pkg/apis/core/v1"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	_ "k8s.io/kubernetes/pkg/apis/resource/install"
	_ "k8s.io/kubernetes/pkg/apis/storage/install"
	"k8s.io/kubernetes/pkg/registry/core/pod"
	strict "sigs.k8s.io/json"
)

// admitted is what an API server makes of an object that a file holds.
type admitted struct {
	Object  runtime.Object `json:"object"`
	Refused []refusal      `json:"refused"` // Of a pod.
}

type refusal struct {
	Path string `json:"path"`
	Text string `json:"text"`
}

// setDefaults does to an object of a file what an API server does: it sets defaults, and prepares a pod that none has stored.
// A pod's status stays.
func setDefaults(object runtime.Object) error {
	legacyscheme.Scheme.Default(object)
	if p, ok := object.(*v1.Pod); ok && p.UID == "" {
		_, err := create(p)
		return err
	}
	return nil
}

// create lets upstream's strategy prepare the pod, and returns what that refuses.
func create(p *v1.Pod) (field.ErrorList, error) {
	var inner core.Pod
	if err := corev1.Convert_v1_Pod_To_core_Pod(p, &inner, nil); err != nil {
		return nil, err
	}
	pod.Strategy.PrepareForCreate(context.Background(), &inner)
	refused := pod.Strategy.Validate(context.Background(), &inner)
	var stored v1.Pod
	if err := corev1.Convert_core_Pod_To_v1_Pod(&inner, &stored, nil); err != nil {
		return nil, err
	}
	p.Spec = stored.Spec
	return refused, nil
}

func admit(object runtime.Object) (*admitted, error) {
	legacyscheme.Scheme.Default(object)
	answer := &admitted{Object: object, Refused: []refusal{}}
	p, ok := object.(*v1.Pod)
	if !ok {
		return answer, nil
	}
	if p.Namespace == "" {
		p.Namespace = "default" // As kubectl and the request's path give it.
	}
	refused, err := create(p)
	for _, one := range refused {
		answer.Refused = append(answer.Refused, refusal{one.Field, one.Error()})
	}
	return answer, err
}

// admitAll prints a line for each object of the files, which hold one after the other.
func admitAll(files []string) error {
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	lines := json.NewEncoder(out)
	lines.SetEscapeHTML(false)
	for _, path := range files {
		if err := admitFile(path, lines); err != nil {
			return fmt.Errorf("%s: %v", path, err)
		}
	}
	return nil
}

func admitFile(path string, lines *json.Encoder) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	in := json.NewDecoder(bufio.NewReader(file))
	for in.More() {
		var item json.RawMessage
		if err := in.Decode(&item); err != nil {
			return err
		}
		a, err := admitItem(item)
		if err != nil {
			return err
		}
		if err := lines.Encode(a); err != nil {
			return err
		}
	}
	return nil
}

func admitItem(item []byte) (*admitted, error) {
	var meta struct{ Kind string }
	if err := json.Unmarshal(item, &meta); err != nil {
		return nil, err
	}
	create, ok := objects.Kinds[meta.Kind]
	if !ok {
		return nil, fmt.Errorf("no kind that is known: %q", meta.Kind)
	}
	object := create()
	if err := strict.UnmarshalCaseSensitivePreserveInts(item, object); err != nil { // As an API server decodes.
		return nil, err
	}
	return admit(object)
}
