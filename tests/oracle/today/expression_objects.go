package main

import (
	"encoding/json"
	"math/big"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	resourcehelper "k8s.io/component-helpers/resource"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// The objects of users' expressions. Fields are those of the JSON; amounts, counts and images are what upstream's scheduler
// has in its snapshot.

// written is an object as its file has it, without defaults.
type written map[string]any

func (w written) object(name string) (map[string]any, bool) {
	of, ok := w[name].(map[string]any)
	return of, ok
}

func podVariable(raw written, pod *v1.Pod) map[string]any {
	made := map[string]any{"requests": amountsOf(requestsOf(pod))}
	if metadata, ok := raw.object("metadata"); ok {
		made["metadata"] = nativeV1(metadata, reflect.TypeFor[metav1.ObjectMeta]())
	}
	if spec, ok := raw.object("spec"); ok {
		made["spec"] = nativeV1(spec, reflect.TypeFor[v1.PodSpec]())
	}
	return made
}

// requestsOf is computePodResourceRequest of plugins/noderesources/fit.go.
func requestsOf(pod *v1.Pod) map[string]*big.Int {
	sum := framework.Resource{}
	sum.Add(resourcehelper.PodRequests(pod, resourcehelper.PodResourcesOptions{}))
	amounts := commonAmounts(&sum)
	for name, amount := range sum.ScalarResources {
		amounts[string(name)] = big.NewInt(amount)
	}
	return amounts
}

func commonAmounts(of fwk.Resource) map[string]*big.Int {
	return map[string]*big.Int{
		"cpu": big.NewInt(of.GetMilliCPU()), "memory": big.NewInt(of.GetMemory()), "ephemeral-storage": big.NewInt(of.GetEphemeralStorage()),
	}
}

// amountsOf makes doubles, cpu in cores.
func amountsOf(amounts map[string]*big.Int) map[string]float64 {
	made := map[string]float64{}
	for name, amount := range amounts {
		made[name], _ = new(big.Float).SetInt(amount).Float64()
		if name == "cpu" {
			made[name] /= 1000
		}
	}
	return made
}

// expressionNode is the variable `node`.
type expressionNode struct {
	traits.Mapper
	info   fwk.NodeInfo
	nodes  *expressionCluster
	labels map[string]string
}

// expressionCluster is the variable `cluster`.
type expressionCluster struct {
	traits.Mapper
	adapter types.Adapter
	all     []fwk.NodeInfo
}

// expressionDomain is what node.domain() gives.
type expressionDomain struct {
	traits.Mapper
	members []fwk.NodeInfo
}

func newCluster(adapter types.Adapter, all []fwk.NodeInfo) *expressionCluster {
	pods := 0
	for _, info := range all {
		pods += len(info.GetPods())
	}
	made := map[string]any{"nodes": len(all), "pods": pods}
	return &expressionCluster{types.NewStringInterfaceMap(adapter, made), adapter, all}
}

// node is one of the cluster's. measured is its NodeMetrics; nil: there is none.
func (c *expressionCluster) node(raw, measured written, info fwk.NodeInfo, now time.Time) *expressionNode {
	made := map[string]any{"pods": len(info.GetPods()), "images": imagesOf(c.adapter, info),
		"allocatable": amountsOf(allocatableOf(info)), "requested": amountsOf(c.requestedOf(info))}
	if metadata, ok := raw.object("metadata"); ok {
		made["metadata"] = nativeV1(metadata, reflect.TypeFor[metav1.ObjectMeta]())
	}
	if spec, ok := raw.object("spec"); ok {
		made["spec"] = nativeV1(spec, reflect.TypeFor[v1.NodeSpec]())
	}
	if status, ok := raw.object("status"); ok {
		conditions := map[string]any{}
		if written, ok := status["conditions"].([]any); ok {
			conditions["conditions"] = nativeV1(written, reflect.TypeFor[[]v1.NodeCondition]())
		}
		made["status"] = conditions
		if _, ok := status["capacity"].(map[string]any); ok {
			made["capacity"] = capacityOf(info.Node())
		}
	}
	made["metrics"] = map[string]float64{}
	if measured != nil {
		made["metrics"] = metricsOf(measured)
		if usage, ok := usageOf(measured, info, now); ok {
			made["usage"] = usage
		}
	}
	return &expressionNode{types.NewStringInterfaceMap(c.adapter, made), info, c, info.Node().Labels}
}

func metricsOf(measured written) map[string]float64 {
	made := map[string]float64{}
	metrics, _ := measured.object("metrics")
	for name, value := range metrics {
		made[name], _ = value.(json.Number).Float64()
	}
	return made
}

// usageOf is what metrics-server has measured, and what pods request that had not started when it began to.
func usageOf(measured written, info fwk.NodeInfo, now time.Time) (map[string]any, bool) {
	usage, ok := measured.object("usage")
	if !ok {
		return nil, false
	}
	cpu, memory := resource.MustParse(usage["cpu"].(string)), resource.MustParse(usage["memory"].(string))
	taken, err := time.Parse(time.RFC3339, measured["timestamp"].(string))
	window, wrong := time.ParseDuration(measured["window"].(string))
	if err != nil || wrong != nil {
		return nil, false
	}
	var coming, comingMemory int64
	for _, pod := range info.GetPods() {
		if started, running := runningSince(pod.GetPod()); !running || started.After(taken.Add(-window)) {
			requests := pod.CalculateResource()
			coming += requests.Non0CPU
			comingMemory += requests.Non0Mem
		}
	}
	return map[string]any{"cpu": float64(cpu.ScaledValue(resource.Nano))/1e9 + float64(coming)/1000,
		"memory": float64(memory.Value()) + float64(comingMemory), "age": max(0, now.Sub(taken))}, true
}

// runningSince is when the last of the running containers has started; else when the pod has.
func runningSince(pod *v1.Pod) (since time.Time, running bool) {
	if pod.Status.Phase != v1.PodRunning {
		return since, false
	}
	for _, container := range pod.Status.ContainerStatuses {
		if at := container.State.Running; at != nil && at.StartedAt.After(since) {
			since = at.StartedAt.Time
		}
	}
	if since.IsZero() && pod.Status.StartTime != nil {
		since = pod.Status.StartTime.Time
	}
	return since, !since.IsZero()
}

func capacityOf(node *v1.Node) map[string]float64 {
	amounts := map[string]*big.Int{}
	for name, amount := range node.Status.Capacity {
		amounts[string(name)] = big.NewInt(amount.Value())
		if name == v1.ResourceCPU {
			amounts[string(name)] = big.NewInt(amount.MilliValue())
		}
	}
	return amountsOf(amounts)
}

// expressionImages is a map in which a name without a tag stands for ":latest", too, as in plugins/imagelocality.
type expressionImages struct{ traits.Mapper }

func (i expressionImages) Find(key ref.Val) (ref.Val, bool) {
	if value, found := i.Mapper.Find(key); found {
		return value, true
	}
	name, ok := key.(types.String)
	if !ok || strings.LastIndex(string(name), ":") > strings.LastIndex(string(name), "/") {
		return nil, false
	}
	return i.Mapper.Find(name + ":latest")
}

func (i expressionImages) Contains(key ref.Val) ref.Val {
	_, found := i.Find(key)
	return types.Bool(found)
}

func (i expressionImages) Get(key ref.Val) ref.Val {
	if value, found := i.Find(key); found {
		return value
	}
	return i.Mapper.Get(key)
}

func imagesOf(adapter types.Adapter, info fwk.NodeInfo) ref.Val {
	images := map[string]any{}
	for name, state := range info.GetImageStates() {
		images[name] = map[string]any{"size": state.Size, "nodes": state.NumNodes}
	}
	return expressionImages{types.NewStringInterfaceMap(adapter, images)}
}

func allocatableOf(info fwk.NodeInfo) map[string]*big.Int {
	amounts := commonAmounts(info.GetAllocatable())
	amounts["pods"] = big.NewInt(int64(info.GetAllocatable().GetAllowedPodNumber()))
	for name, amount := range info.GetAllocatable().GetScalarResources() {
		amounts[string(name)] = big.NewInt(amount)
	}
	return amounts
}

// requestedOf has every resource that the node has, and those of other nodes that its pods request.
func (c *expressionCluster) requestedOf(info fwk.NodeInfo) map[string]*big.Int {
	amounts := commonAmounts(info.GetRequested())
	amounts["pods"] = big.NewInt(int64(len(info.GetPods())))
	for name := range info.GetAllocatable().GetScalarResources() {
		amounts[string(name)] = big.NewInt(0)
	}
	for name, amount := range info.GetRequested().GetScalarResources() {
		if amount != 0 && c.offers(name) {
			amounts[string(name)] = big.NewInt(amount)
		}
	}
	return amounts
}

func (c *expressionCluster) offers(resource v1.ResourceName) bool {
	return slices.ContainsFunc(c.all, func(info fwk.NodeInfo) bool {
		_, found := info.GetAllocatable().GetScalarResources()[resource]
		return found
	})
}

func countMatching(infos []fwk.NodeInfo, wanted map[string]string, namespaces []string) (count int64) {
	selector := labels.SelectorFromSet(wanted)
	for _, info := range infos {
		for _, pod := range info.GetPods() {
			if len(namespaces) > 0 && !slices.Contains(namespaces, pod.GetPod().Namespace) {
				continue
			}
			if selector.Matches(labels.Set(pod.GetPod().Labels)) {
				count++
			}
		}
	}
	return count
}

func (n *expressionNode) podsMatching(labels map[string]string, namespaces []string) int64 {
	return countMatching([]fwk.NodeInfo{n.info}, labels, namespaces)
}
func (d *expressionDomain) podsMatching(labels map[string]string, namespaces []string) int64 {
	return countMatching(d.members, labels, namespaces)
}
func (c *expressionCluster) podsMatching(labels map[string]string, namespaces []string) int64 {
	return countMatching(c.all, labels, namespaces)
}

func (c *expressionCluster) domains(key string) int64 {
	values := map[string]bool{}
	for _, info := range c.all {
		if value, found := info.Node().Labels[key]; found {
			values[value] = true
		}
	}
	return int64(len(values))
}

func (n *expressionNode) domain(key string) ref.Val {
	value, found := n.labels[key]
	if !found {
		return types.NewErr("no such key: %s", key)
	}
	domain := &expressionDomain{}
	pods, allocatable, requested := 0, map[string]*big.Int{}, map[string]*big.Int{}
	for _, info := range n.nodes.all {
		if its, found := info.Node().Labels[key]; found && its == value {
			domain.members = append(domain.members, info)
			pods += len(info.GetPods())
			addAmounts(allocatable, allocatableOf(info))
			addAmounts(requested, n.nodes.requestedOf(info))
		}
	}
	made := map[string]any{"pods": pods, "allocatable": amountsOf(allocatable), "requested": amountsOf(requested)}
	domain.Mapper = types.NewStringInterfaceMap(n.nodes.adapter, made)
	return domain
}

func addAmounts(to, from map[string]*big.Int) {
	for name, amount := range from {
		if to[name] == nil {
			to[name] = new(big.Int)
		}
		to[name].Add(to[name], amount)
	}
}
