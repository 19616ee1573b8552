package main

import (
	"bytes"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	discovery "k8s.io/api/discovery/v1"
	rbac "k8s.io/api/rbac/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"winnow.test/e2e/bed"
	"winnow.test/e2e/cluster"
)

const home = "kube-system" // The namespace of Winnow's Service.

// kubectlPlugin: the real kubectl finds the plugin, and completes it. The plugin reads the cluster itself; where there is a
// Winnow it asks that by the API server's proxy, as long as the user may.
func kubectlPlugin(t *T) {
	t.must(t.AddNodes(t.Ctx, cluster.Nodes(3, 1, cluster.Allocatable("4", "8Gi", "10"))))
	t.add(cluster.Pod("small", cluster.Requests("1", "1Gi")), cluster.Pod("huge", cluster.Requests("64", "1Gi")))
	t.add(cluster.Pod("placed", cluster.Requests("3", "1Gi"), cluster.On("node-0001")))
	t.apply("rbac.yaml")
	plugin := t.plugin()
	plugin.withoutRights()
	t.allow(bed.Reader, "winnow")
	plugin.alone()
	plugin.logsIn()

	address := t.addressForProxy()
	t.startWinnow(today, "--bind-address", "0.0.0.0")
	t.serviceAt(address, t.Winnow.Port())
	plugin.refusedProxy()
	t.allow(bed.Reader, t.roleOfProxy())
	plugin.byProxy()
	t.pageByProxy()
	plugin.completes()
	t.Winnow.Stop()
	plugin.outOfReach()
}

// kubectlUser runs kubectl as a user, with the plugin in the PATH.
type kubectlUser struct {
	*T
	folder, kubeconfig string
}

func (t *T) plugin() kubectlUser {
	folder, err := filepath.Abs(filepath.Join(t.options.folder, "plugin")) // kubectl takes no relative path in the PATH.
	t.must(err)
	t.must(os.MkdirAll(folder, 0o755))
	t.check(len(t.options.winnow) == 1, "winnow is run by another program, and kubectl cannot do that")
	for name, target := range map[string]string{"kubectl-winnow": t.options.winnow[0],
		"kubectl_complete-winnow": filepath.Join(t.options.root, "tools/package/kubectl_complete-winnow")} {
		whole, err := filepath.Abs(target)
		t.must(err)
		os.Remove(filepath.Join(folder, name))
		t.must(os.Symlink(whole, filepath.Join(folder, name)))
	}
	kubeconfig, err := t.Kubeconfig(bed.Reader, t.Servers[0].URL)
	t.must(err)
	return kubectlUser{t, folder, kubeconfig}
}

// run gives the exit code, standard output and standard error of kubectl.
func (k kubectlUser) run(arguments ...string) (code int, out, said string) {
	program, err := filepath.Abs(filepath.Join(k.options.binaries, "kubectl"))
	k.must(err)
	command := exec.CommandContext(k.Ctx, program, arguments...)
	command.Env = []string{"PATH=" + k.folder + ":/usr/bin:/bin", "HOME=" + k.folder, "KUBECONFIG=" + k.kubeconfig}
	var first, second bytes.Buffer
	command.Stdout, command.Stderr = &first, &second
	err = command.Run()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		k.must(err)
	}
	return command.ProcessState.ExitCode(), first.String(), second.String()
}

// says checks exit code, and parts of what is printed.
func (k kubectlUser) says(arguments string, code int, out []string, said ...string) {
	got, first, second := k.run(strings.Fields(arguments)...)
	k.check(got == code, "kubectl %s ended with %d, expected %d: %s%s", arguments, got, code, first, second)
	for _, part := range out {
		k.check(strings.Contains(first, part), "kubectl %s printed\n%s\nwithout %q (%s)", arguments, first, part, second)
	}
	for _, part := range said {
		k.check(strings.Contains(second, part), "kubectl %s said %q, without %q", arguments, second, part)
	}
	k.check(strings.Count(second, "\n") <= 1, "kubectl %s said more than a line:\n%s", arguments, second)
}

func (k kubectlUser) withoutRights() {
	for _, command := range []string{"why huge", "explain huge", "nodes", "pending"} {
		k.says("winnow "+command, 2, nil, "forbidden", "ask for the role winnow of rbac.yaml")
	}
	k.says("winnow why huge --context nobody", 2, nil, `contexts: there is none of the name "nobody"`)
	k.says("winnow wy huge", 2, nil, `did you mean "why"?`)
}

// alone: nothing of Winnow runs in the cluster.
func (k kubectlUser) alone() {
	itself := "read from the cluster itself, by the rules of 1.37, default profile: no service of a running Winnow was found"
	k.waitFor("winnow why huge", itself) // RBAC's own watch.
	k.says("winnow why huge", 0, []string{"default/huge fits none of 3 nodes.\n  3 nodes: Insufficient cpu."}, itself)
	k.says("winnow explain small", 0, []string{"default/small → node-000", "(3 of 3 nodes fit)"}, itself)
	k.says("winnow explain huge", 1, []string{"default/huge: 0/3 nodes are available: 3 Insufficient cpu."})
	k.says("winnow explain pod/small -n default -o json", 0, []string{`{"pod":"default/small","rules":"1.37, default profile","feasible":3,`})
	k.says("winnow pending", 0, []string{"NAMESPACE   NAME    AGE", "0/3     3 Insufficient cpu\n", "3/3     fits a node now"})
	k.says("winnow pending -o wide", 0, []string{"REASON", "CAUSES\n"})
	k.says("winnow pending -A -o name", 0, []string{"pod/huge\n", "pod/small\n"})
	k.says("winnow nodes", 0, []string{"NAME", "node-0001   Ready    3/4 (75%)   1.0/8.0Gi", "1/10"})
	k.says("winnow nodes huge -o wide", 0, []string{"EPHEMERAL", "no", "Insufficient cpu"})
	k.says("winnow nodes small", 0, []string{"best", "yes"})
	k.says("winnow why smal", 2, nil, `pod "default/smal" is not in the cluster (did you mean "default/small"`)
}

// logsIn: the plugin runs the credential plugin of a kubeconfig, as kubectl does, and once for a command.
func (k kubectlUser) logsIn() {
	path, runs, err := k.KubeconfigByPlugin(bed.Reader, k.Servers[0].URL)
	k.must(err)
	told := func(arguments string, code int, out []string, said ...string) string {
		os.Remove(runs)
		kubectlUser{k.T, k.folder, path}.says(arguments, code, out, said...)
		text, err := os.ReadFile(runs)
		k.check(err == nil && strings.Count(string(text), "\n") == 1, "kubectl %s ran its credential plugin by %q (%v)", arguments, text, err)
		return string(text)
	}
	of := told("get nodes -o name", 0, []string{"node/node-0001"})
	got := told("winnow why huge --winnow none", 0, []string{"default/huge fits none of 3 nodes."})
	k.check(got == of, "the credential plugin is told %s by kubectl winnow, and %s by kubectl", got, of)
}

func (k kubectlUser) refusedProxy() {
	k.says("winnow why huge", 0, []string{"fits none of 3 nodes"},
		"no right to ask Winnow kube-system/winnow: it needs 'create' of 'services/proxy' in kube-system")
	k.says("winnow why huge --winnow kube-system/winnow", 2, nil, "forbidden", `cannot get resource "services"`)
}

func (k kubectlUser) byProxy() {
	asked := "answered by Winnow kube-system/winnow, through the API server"
	k.waitFor("winnow why huge", asked)
	k.says("winnow why huge", 0, []string{"default/huge fits none of 3 nodes.\n  3 nodes: Insufficient cpu."}, asked)
	k.says("winnow explain small", 0, []string{"default/small → node-000", "(3 of 3 nodes fit)"}, asked)
	k.says("winnow explain small --nodes node-0002 -o json", 0, []string{`"feasible":1,"selected":"node-0002"`}, asked)
	k.says("winnow pending", 0, []string{"0/3     3 Insufficient cpu\n"}, asked)
	k.says("winnow nodes small", 0, []string{"best", "node-0001   Ready    3/4 (75%)"}, asked)
	k.says("winnow why huge --winnow kube-system/winnow", 0, []string{"fits none of 3 nodes"}, asked)
	k.says("winnow -n default why huge", 0, []string{"fits none of 3 nodes"}, asked)
	k.says("winnow explain small --nodes node-9", 2, nil, `node "node-9" is not in the picture of the cluster`)
	k.says("winnow why small --winnow none", 0, []string{"fits 3 of 3"}, "as --winnow none wants")
	k.says("winnow why smal", 2, nil, `is not in the picture of the cluster that Winnow kube-system/winnow has`)
	metric, err := bed.Metric(k.Winnow.URL, "winnow_requests_total", `verb="explain"`, `result="ok"`)
	k.check(err == nil && metric >= 5, "Winnow has counted %v explanations (%v)", metric, err)
}

// pageByProxy: the page and what it asks for come through the API server's proxy, under a path of its own.
func (t *T) pageByProxy() {
	for path, part := range map[string]string{"": "<title>Winnow</title>", "page/main.js": "hashchange", "page/overview": `"nodes":3,`,
		"page/node?name=node-0001": `"default/placed"`, "page/pods?text=huge": `"default/huge"`} {
		answer, err := t.Client.CoreV1().RESTClient().Get().
			RequestURI("/api/v1/namespaces/" + home + "/services/winnow:10290/proxy/" + path).DoRaw(t.Ctx)
		t.check(err == nil && strings.Contains(string(answer), part), "by the proxy /%s is answered %v %.300s, without %q", path, err, answer, part)
	}
}

// completes: kubectl's own completion asks the plugin's.
func (k kubectlUser) completes() {
	for arguments, words := range map[string][]string{
		"winnow w":                  {"why\n"},
		"winnow why ":               {"huge\n", "small\n", "placed\n"},
		"winnow why -n default h":   {"huge\n"},
		"winnow explain x --nodes ": {"node-0000\n", "node-0002\n"},
		"winnow nodes -o ":          {"wide\n"},
		"winnow -n default why h":   {"huge\n"},
		"winnow nodes --output=w":   {"wide\n"},
	} {
		_, out, said := k.run(append([]string{"__complete"}, strings.Split(arguments, " ")...)...)
		for _, word := range append(words, ":4\n") {
			k.check(strings.Contains(out, word), "kubectl completes %q by\n%s\nwithout %q (%s)", arguments, out, word, said)
		}
	}
	for _, shell := range []string{"bash", "zsh", "fish"} {
		k.says("winnow completion "+shell, 0, []string{"kubectl-winnow __complete"})
	}
}

func (k kubectlUser) outOfReach() {
	k.says("winnow why huge", 0, []string{"fits none of 3 nodes"},
		"by the rules of 1.37, default profile: Winnow kube-system/winnow cannot be reached")
}

// waitFor waits until kubectl says so.
func (k kubectlUser) waitFor(arguments, text string) {
	said := ""
	found := cluster.Until(20*time.Second, func() bool {
		_, _, said = k.run(strings.Fields(arguments)...)
		return strings.Contains(said, text)
	})
	k.check(found, "kubectl %s said %q, without %q", arguments, said, text)
}

// allow binds a ClusterRole to a user.
func (t *T) allow(user, role string) {
	bindings := t.Client.RbacV1().ClusterRoleBindings()
	name := "e2e-" + user + "-" + role
	_, err := bindings.Create(t.Ctx, &rbac.ClusterRoleBinding{
		ObjectMeta: meta.ObjectMeta{Name: name},
		RoleRef:    rbac.RoleRef{APIGroup: rbac.GroupName, Kind: "ClusterRole", Name: role},
		Subjects:   []rbac.Subject{{APIGroup: rbac.GroupName, Kind: "User", Name: user}},
	}, meta.CreateOptions{})
	t.must(err)
	t.later(func() { bindings.Delete(t.Ctx, name, meta.DeleteOptions{}) })
}

// roleOfProxy makes the role that docs/kubectl.md shows.
func (t *T) roleOfProxy() string {
	roles := t.Client.RbacV1().ClusterRoles()
	_, err := roles.Create(t.Ctx, &rbac.ClusterRole{
		ObjectMeta: meta.ObjectMeta{Name: "e2e-proxy"},
		Rules: []rbac.PolicyRule{
			{APIGroups: []string{""}, Resources: []string{"services/proxy"}, ResourceNames: []string{"winnow:10290"}, Verbs: []string{"create"}},
			{APIGroups: []string{""}, Resources: []string{"services"}, Verbs: []string{"get", "list"}},
		},
	}, meta.CreateOptions{})
	t.must(err)
	t.later(func() { roles.Delete(t.Ctx, "e2e-proxy", meta.DeleteOptions{}) })
	return "e2e-proxy"
}

// addressForProxy is one of this machine's that an API server goes to as a proxy: it goes to no loopback.
func (t *T) addressForProxy() string {
	addresses, err := net.InterfaceAddrs()
	t.must(err)
	for _, address := range addresses {
		network, known := address.(*net.IPNet)
		if known && network.IP.IsGlobalUnicast() && network.IP.To4() != nil {
			return network.IP.String()
		}
	}
	t.check(false, "this machine has no address beside loopback")
	return ""
}

// serviceAt makes Winnow's Service, as manifests/standalone.yaml has it, and what leads from there to the address. An API
// server is a proxy only to the addresses of pods, so there is a pod that says it has this one.
func (t *T) serviceAt(address string, port int) {
	core := t.Client.CoreV1()
	services, slices, pods := core.Services(home), t.Client.DiscoveryV1().EndpointSlices(home), core.Pods(home)
	number, name, ready, atOnce := int32(port), "http", true, int64(0)
	remove := func() {
		services.Delete(t.Ctx, "winnow", meta.DeleteOptions{})
		slices.Delete(t.Ctx, "winnow-e2e", meta.DeleteOptions{})
		pods.Delete(t.Ctx, "winnow-e2e", meta.DeleteOptions{GracePeriodSeconds: &atOnce})
	}
	remove()
	t.later(remove)
	pod := cluster.Pod("winnow-e2e", cluster.On("node-0000"))
	pod.Namespace = home
	pod, err := pods.Create(t.Ctx, pod, meta.CreateOptions{})
	t.must(err)
	pod.Status = v1.PodStatus{Phase: v1.PodRunning, PodIP: address, PodIPs: []v1.PodIP{{IP: address}}}
	_, err = pods.UpdateStatus(t.Ctx, pod, meta.UpdateOptions{})
	t.must(err)
	_, err = services.Create(t.Ctx, &v1.Service{
		ObjectMeta: meta.ObjectMeta{Name: "winnow", Labels: map[string]string{"app.kubernetes.io/name": "winnow"}},
		Spec:       v1.ServiceSpec{Ports: []v1.ServicePort{{Name: name, Port: 10290}}},
	}, meta.CreateOptions{})
	t.must(err)
	_, err = slices.Create(t.Ctx, &discovery.EndpointSlice{
		ObjectMeta:  meta.ObjectMeta{Name: "winnow-e2e", Labels: map[string]string{discovery.LabelServiceName: "winnow"}},
		AddressType: discovery.AddressTypeIPv4,
		Endpoints: []discovery.Endpoint{{
			Addresses:  []string{address},
			Conditions: discovery.EndpointConditions{Ready: &ready},
			TargetRef:  &v1.ObjectReference{Kind: "Pod", Namespace: home, Name: pod.Name, UID: pod.UID},
		}},
		Ports: []discovery.EndpointPort{{Name: &name, Port: &number}},
	}, meta.CreateOptions{})
	t.must(err)
}
