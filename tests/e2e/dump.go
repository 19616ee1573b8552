package main

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/client-go/rest"
	"winnow.test/e2e/bed"
	"winnow.test/e2e/cluster"
)

// What a dump has: all that Winnow's rules look at.
var dumped = []string{
	"/api/v1/nodes", "/api/v1/pods", "/api/v1/namespaces", "/api/v1/services", "/api/v1/replicationcontrollers",
	"/api/v1/persistentvolumes", "/api/v1/persistentvolumeclaims", "/apis/apps/v1/replicasets", "/apis/apps/v1/statefulsets",
	"/apis/policy/v1/poddisruptionbudgets", "/apis/storage.k8s.io/v1/storageclasses", "/apis/storage.k8s.io/v1/csinodes",
	"/apis/storage.k8s.io/v1/csidrivers", "/apis/storage.k8s.io/v1/csistoragecapacities", "/apis/storage.k8s.io/v1/volumeattachments",
	"/apis/resource.k8s.io/v1/deviceclasses", "/apis/resource.k8s.io/v1/resourceclaims", "/apis/resource.k8s.io/v1/resourceslices",
	"/apis/resource.k8s.io/v1/devicetaintrules", "/apis/resource.k8s.io/v1/resourceclaimtemplates", "/apis/scheduling.k8s.io/v1/priorityclasses", "/apis/node.k8s.io/v1/runtimeclasses",
}

// dump gives the cluster as one v1 List, as `kubectl get … -A -o json` writes it.
func (t *T) dump() string {
	var items []any
	for _, path := range dumped {
		get := t.Client.CoreV1().RESTClient().(*rest.RESTClient).Get().AbsPath(path).SetHeader("Accept", "application/json")
		text, err := get.DoRaw(t.Ctx)
		t.must(err)
		var list struct {
			APIVersion, Kind string
			Items            []map[string]any
		}
		t.must(json.Unmarshal(text, &list))
		for _, item := range list.Items { // A list's items do not say what they are.
			item["apiVersion"], item["kind"] = list.APIVersion, strings.TrimSuffix(list.Kind, "List")
			items = append(items, item)
		}
	}
	text, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": items})
	t.must(err)
	return string(text)
}

// probe is the pod that is asked about: one that most rules have something to say of.
func probe() string {
	pod := cluster.Pod("probe", cluster.Requests("500m", "1Gi"), cluster.Labelled("app", "apart"),
		cluster.RatherApart("app", "apart", cluster.Zone))
	pod.APIVersion, pod.Kind = "v1", "Pod"
	text, _ := json.Marshal(pod)
	return string(text)
}

// explainLive is what the running Winnow says of the probe.
func (t *T) explainLive() string {
	code, answer, err := bed.Post(t.Winnow.URL+"/explain?facts=true", `{"Pod":`+probe()+`}`)
	t.check(err == nil && code == 200, "/explain answers %d %v: %.300s", code, err, answer)
	return strings.TrimSpace(answer)
}

// explainDump is what winnow says of the probe when it reads the cluster from a file.
func (t *T) explainDump() string {
	dump, pods := t.file("dump.json", t.dump()), t.file("probe.json", probe())
	rules := filepath.Join(t.options.folder, "rules.yaml")
	command := slices.Concat(t.options.winnow, []string{"explain", "--cluster", dump, "--config", rules, "--pods", pods, "-o", "json"})
	answer, err := exec.Command(command[0], command[1:]...).Output()
	if exit, is := err.(*exec.ExitError); is && exit.ExitCode() == 1 { // It fits nowhere: an answer.
		err = nil
	}
	t.must(err)
	return strings.TrimSpace(string(answer))
}
