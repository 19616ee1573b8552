package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
	"winnow.test/e2e/bed"
	"winnow.test/e2e/cluster"
	"winnow.test/e2e/measure"
	"winnow.test/e2e/usage"
)

const (
	loadPods  = 200 // At once, while usage is known.
	blindPods = 50  // At once, each time that it is not.
	loadCores = 32  // Of each node.
	// loadWeight has load count more than in the file: with 5 the scores by requests leave 4 % between the highest load and
	// the best assignment's.
	loadWeight = 20

	hotNode = "node-0000"
	// asEven is how far above the best assignment's the highest load may be.
	asEven = 1.05
	// blindLater is how much later the last of the pods may be bound where no usage is known.
	blindLater = 5 * time.Second
	// loadSlow is worth a word: what became of the last pod.
	loadSlow = 5 * time.Second
)

// loadBases are what the nodes use without pods. The first one is hot.
var loadBases = []float64{0.95, 0.36, 0.65, 0.44, 0.52, 0.40, 0.60, 0.48, 0.56}

// loadFlags ask often, and forget soon.
var loadFlags = []string{"--node-metrics", "metrics-server", "--node-metrics-period", "1s", "--node-metrics-max-age", "10s"}

// loadRules are two of manifests/rules in one configuration: no pod to hot nodes, and nodes with little load first. More
// is for the score's arguments.
func (t *T) loadRules(more map[string]any) string {
	type arguments struct {
		Name string         `json:"name"`
		Args map[string]any `json:"args"`
	}
	type profile struct {
		SchedulerName string         `json:"schedulerName"`
		Plugins       map[string]any `json:"plugins"`
		PluginConfig  []arguments    `json:"pluginConfig"`
	}
	type configuration struct {
		APIVersion string    `json:"apiVersion"`
		Kind       string    `json:"kind"`
		Profiles   []profile `json:"profiles"`
	}
	var hot, even configuration
	t.must(yaml.UnmarshalStrict([]byte(t.read(t.manifest("rules/avoid-hot-nodes.yaml"))), &hot))
	t.must(yaml.UnmarshalStrict([]byte(t.read(t.manifest("rules/spread-by-load.yaml"))), &even))
	both := &even.Profiles[0]
	maps.Copy(both.PluginConfig[0].Args, more)
	score := both.Plugins["score"].(map[string]any)["enabled"].([]any)[0].(map[string]any)
	score["weight"] = loadWeight
	maps.Copy(both.Plugins, hot.Profiles[0].Plugins)
	both.PluginConfig = append(both.PluginConfig, hot.Profiles[0].PluginConfig...)
	text, err := yaml.Marshal(even)
	t.must(err)
	return string(text)
}

// loadSides are compared with in-tree. The last one shows that the bound tells rules apart: it does not count the pods on
// their way, so that all go where the last measurement was lowest.
func (t *T) loadSides() []side {
	return []side{
		{gatedWay, gatedWay, t.loadRules(nil), loadFlags},
		{"best", "best", t.loadRules(nil), loadFlags},
		{blindSide, gatedWay, t.loadRules(map[string]any{"assumeUsage": 0}), loadFlags},
	}
}

const blindSide = "assumeUsage 0"

// loadResult is what became of the pods on one side.
type loadResult struct {
	took          time.Duration // Until all were bound.
	highest, best float64       // Load of a node; the hot one counts if it has pods.
	hot, nodes    int           // Pods on the hot node; nodes with pods.
}

// underLoad: nodes have work that no request tells of, and one is hot. 200 pods at once go where the metrics API, and the
// pods that are on their way, say that there is room: nearly as evenly as anybody could place them. Then the metrics API
// dies, and pods go by requests, as soon as before.
func underLoad(t *T) {
	c, condition := t.under(), t.way
	t.lagging(c.lag)
	bases := map[string]usage.Node{}
	nodes := cluster.Nodes(len(loadBases), 3, cluster.Allocatable(fmt.Sprint(loadCores), "128Gi", "250"))
	for i, node := range nodes {
		bases[node.Name] = usage.Node{Cores: loadCores, Base: loadBases[i] * loadCores}
	}
	t.must(t.AddNodes(t.Ctx, nodes))
	l := &loaded{T: t, bases: bases}
	l.truth, l.api = t.startUsage(bases)
	sides := t.sides(t.loadSides()...)
	t.some("sides", len(sides))
	found := map[string]loadResult{}
	for _, s := range sides {
		t.within(func() {
			t.startSide(s)
			found[s.name] = l.burst()
			if s.name == gatedWay {
				l.withoutUsage(found[s.name].took)
			}
		})
		t.clearPods(allPods)
	}
	l.judge(condition, sides, found)
}

// loaded is a scenario in which pods use something.
type loaded struct {
	*T
	bases  map[string]usage.Node
	truth  *usage.Truth
	api    *usage.API
	bursts int // That were made.
}

// burst creates pods at once, and says what became of them.
func (l *loaded) burst() loadResult {
	if l.way != "in-tree" {
		l.measures(len(l.bases), 30*time.Second)
		time.Sleep(2*l.options.resolution + time.Second) // What another side's pods have used is out of it.
		age := l.metric("winnow_node_metrics_age_seconds")
		l.check(age > 0 && age < 10, "the oldest usage is %v s old, and --node-metrics-max-age is 10s", age)
	}
	pods, took := l.create(loadPods)
	result := loadResult{took: took}
	loads, used := l.truth.Loads(pods), map[string]bool{}
	var cores []float64
	for _, pod := range pods {
		cores = append(cores, usage.Cores(pod))
		used[pod.Spec.NodeName] = true
		if pod.Spec.NodeName == hotNode {
			result.hot++
		}
	}
	var others []usage.Node
	for name, node := range l.bases {
		if name != hotNode {
			others = append(others, node)
		}
		if name != hotNode || result.hot > 0 {
			result.highest = max(result.highest, loads[name])
		}
	}
	result.best, result.nodes = usage.Best(others, cores), len(used)
	return result
}

// create makes so many pods of five sizes, waits until they are bound, and says how long that took. Nobody is evicted, and
// no node is overcommitted.
func (l *loaded) create(count int) (bound []*v1.Pod, took time.Duration) {
	l.bursts++
	prefix, before := fmt.Sprintf("load-%d", l.bursts), l.Watch.Bound()
	pods := cluster.Pods(prefix, count, l.gateOfWay)
	for i, pod := range pods {
		tenths := 1 + i%5
		cluster.Requests(fmt.Sprintf("%d00m", tenths), fmt.Sprintf("%dMi", tenths*400))(pod)
	}
	begin := time.Now()
	l.add(pods...)
	l.allBound(before+count, 2*time.Minute)
	last := ""
	for _, pod := range l.Watch.All() {
		if strings.HasPrefix(pod.Name, prefix+"-") {
			bound = append(bound, pod)
			if waited := l.Watch.BoundAt(pod.Name).Sub(begin); waited > took {
				took, last = waited, pod.Name
			}
		}
	}
	if took > loadSlow {
		l.note("%s: %s was the last one: %s", l.way, last, l.tells(last, begin))
	}
	l.promises(append(cluster.Broken(l.Watch.AllNodes(), l.Watch.All()), l.Watch.Broken...))
	return bound, took
}

// withoutUsage: the metrics API refuses, then it hangs. Winnow says so and is ready, and pods go by requests. When the API
// is back, pods go by usage.
func (l *loaded) withoutUsage(before time.Duration) {
	l.api.Turn(usage.Refuses)
	l.measures(0, 30*time.Second)
	l.check(l.Winnow.Ready(), "winnow is not ready without the metrics API")
	l.degraded()
	_, refusing := l.create(blindPods)
	l.api.Turn(usage.Hangs)
	asked := l.api.Asked()
	l.check(cluster.Until(time.Minute, func() bool { return l.api.Asked() > asked }), "the metrics API that hangs is not asked")
	_, hanging := l.create(blindPods)
	l.check(max(refusing, hanging) <= before+blindLater, "%d pods are bound after %v and %v without usage, %d after %v with it",
		blindPods, refusing, hanging, loadPods, before)
	l.byRequests()
	l.check(l.Winnow.Ready(), "winnow is not ready while the metrics API hangs")
	l.clearPods(allPods) // All nodes are hot with them.
	l.api.Turn(usage.Sound)
	l.measures(len(l.bases), 90*time.Second)
	again, _ := l.create(10)
	for _, pod := range again {
		l.check(pod.Spec.NodeName != hotNode, "%s is on the hot node after the metrics API is back", pod.Name)
	}
	l.note("the metrics API dies: 2 × %d pods are bound after %.1f s and %.1f s", blindPods, refusing.Seconds(), hanging.Seconds())
}

// degraded: what an operator sees of it.
func (l *loaded) degraded() {
	_, why, err := bed.Get(l.Winnow.URL + "/readyz?verbose")
	l.check(err == nil && strings.Contains(why, "[-]node-metrics"), "/readyz?verbose does not say it: %s %v", why, err)
	age := l.metric("winnow_node_metrics_age_seconds")
	l.check(age == 0, "the oldest usage is %v s old, and there is none", age)
	failed := l.metric("winnow_node_metrics_polls_total", `result="failed"`)
	l.check(failed > 0, "winnow_node_metrics_polls_total has %v failed polls", failed)
}

// byRequests: the pods that came without usage went where least was requested, and that is the hot node.
func (l *loaded) byRequests() {
	requested := map[string]float64{}
	for _, node := range l.Watch.AllNodes() {
		requested[node.Name] = 0
	}
	for _, pod := range l.Watch.All() {
		requested[pod.Spec.NodeName] += pod.Spec.Containers[0].Resources.Requests.Cpu().AsApproximateFloat64()
	}
	l.check(requested[hotNode] > 0, "no pod is on the hot node, though none of its usage was known: %v", requested)
}

// judge checks the promises, and prints the table.
func (l *loaded) judge(condition string, sides []side, found map[string]loadResult) {
	fmt.Println(measure.Head([]string{"condition", "way"},
		[]string{"pods", "all bound, s", "highest load, %", "of the best", "nodes", "pods on the hot node"}))
	for _, s := range sides {
		mine := found[s.name]
		above := mine.highest / mine.best
		fmt.Println(measure.Row(condition, s.name, fmt.Sprint(loadPods), measure.Seconds(mine.took),
			fmt.Sprintf("%.1f", 100*mine.highest), fmt.Sprintf("%.3f", above), fmt.Sprint(mine.nodes), fmt.Sprint(mine.hot)))
		if s.inTree() {
			continue
		}
		l.check(mine.hot == 0, "%s: %d pods are on the hot node", s.name, mine.hot)
		if s.name != blindSide {
			l.check(above <= asEven, "%s: the highest load is %.3f of the best one's, the bound is %v", s.name, above, asEven)
		} else if mine.took < 10*l.options.resolution { // Else many measurements have helped.
			l.check(above > asEven, "%s: the highest load is %.3f of the best one's, so %v tells nothing", s.name, above, asEven)
		}
	}
	if slices.ContainsFunc(sides, side.inTree) { // It cannot know.
		l.check(found[inTreeSide.name].hot > 0, "in-tree places no pod on the hot node, so nothing is told by Winnow's")
	}
}
