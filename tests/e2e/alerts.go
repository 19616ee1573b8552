package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"sigs.k8s.io/yaml"
	"winnow.test/e2e/bed"
	"winnow.test/e2e/cluster"
	"winnow.test/e2e/usage"
)

const (
	quietLook = 8 * time.Second // Longer than the longest `for:` that hurry leaves.
	soon      = 2 * time.Minute // Seconds, and whatever a busy machine has to do beside.
	// silent is when WinnowWatchSilent must have fired: its 120 seconds, and as before.
	silent = 120*time.Second + soon
)

// alerts: a Prometheus scrapes Winnow and kube-scheduler, with manifests/monitoring/alerts.yaml. While pods are scheduled
// no alert fires, and each query of the dashboard gives data. Then Winnow is killed and comes back without API servers,
// and these come back. In the full run nobody measures nodes for a while, the watch falls silent, and Winnow's token is
// taken, too. Each alert is quiet again when its cause is gone, but those that look back for minutes.
func alerts(t *T) {
	nodes, idle := cluster.Nodes(10, 3, cluster.Allocatable("64", "256Gi", "1000")), map[string]usage.Node{}
	for _, node := range nodes {
		idle[node.Name] = usage.Node{Cores: 64, Base: 1}
	}
	t.must(t.AddNodes(t.Ctx, nodes))
	_, api := t.startUsage(idle)
	t.start(t.loadRules(nil), loadFlags...)
	t.measures(len(nodes), soon)
	t.add(cluster.Pod("first", t.gateOfWay))
	t.check(t.bound("first", soon) != "", "a pod is not bound: %s", t.history("first"))
	m := t.monitor()
	m.scraped()
	m.quietUnderLoad()
	m.winnowGone()
	if t.options.short || t.way != bindingWay {
		return
	}
	m.usageGone(api)
	m.serversGone()
	m.tokenTaken()
}

// monitored is a scenario beside which a Prometheus runs.
type monitored struct {
	*T
	*bed.Prometheus
	rules []alert
}

// alert is a rule of alerts.yaml.
type alert struct{ Alert, Expr, For string }

func (t *T) monitor() *monitored {
	file := struct{ Spec map[string]any }{}
	t.must(yaml.Unmarshal([]byte(t.read(t.manifest("monitoring/alerts.yaml"))), &file))
	t.hurry(file.Spec)
	text, err := yaml.Marshal(file.Spec)
	t.must(err)
	groups := struct{ Groups []struct{ Rules []alert } }{}
	t.must(yaml.Unmarshal(text, &groups))
	t.check(len(groups.Groups) == 1, "alerts.yaml has %d groups, expected one", len(groups.Groups))
	prometheus, err := t.StartPrometheus(t.file("alerts.rules.yaml", string(text)),
		map[string]string{"winnow": t.Winnow.URL, "kube-scheduler": t.Scheduler.URL})
	if prometheus != nil {
		t.later(func() { prometheus.Stop() })
	}
	t.must(err)
	return &monitored{t, prometheus, groups.Groups[0].Rules}
}

// hurry makes half a second of each minute of a rule's `for:`, so that the run is short. All else stays as it stands in
// alerts.yaml. It takes none away: a scrape that a busy machine has missed is no alert.
func (t *T) hurry(spec map[string]any) {
	for _, group := range spec["groups"].([]any) {
		for _, rule := range group.(map[string]any)["rules"].([]any) {
			rule := rule.(map[string]any)
			if long, has := rule["for"].(string); has {
				duration, err := time.ParseDuration(long)
				t.must(err)
				rule["for"] = fmt.Sprintf("%dms", (duration / 120).Milliseconds())
			}
		}
	}
}

// scraped: Prometheus has both programs. It evaluates rules before it scrapes for the first time, and then there is no
// Winnow.
func (m *monitored) scraped() {
	m.check(cluster.Until(soon, func() bool {
		both, err := m.Query("sum_over_time(up[1m]) > 2")
		return err == nil && len(both) == 2
	}), "Prometheus has not scraped Winnow and kube-scheduler within %v: %s", soon, m.Tail(5))
	m.quiet("WinnowAbsent")
}

// quietUnderLoad: pods are bound, and pods are refused, and no alert fires. The dashboard shows it.
func (m *monitored) quietUnderLoad() {
	begin := time.Now()
	fits := m.load("fits", 20, m.gateOfWay)
	hopeless := m.load("hopeless", 10, m.gateOfWay, cluster.NodeSelector("gpu", "yes"))
	m.dashboardShows(func(query string) bool { return !strings.Contains(query, watchErrors) })
	m.namesWhatThereIs()
	m.evaluated(begin.Add(quietLook))
	hopeless()
	m.allBound(fits()+1, soon) // And the first one.
	m.evaluated(time.Now())
	looked := time.Since(begin)
	fired, err := m.Query(fmt.Sprintf(`last_over_time(ALERTS{alertstate="firing"}[%dms])`, looked.Milliseconds()))
	m.check(err == nil && len(fired) == 0, "these alerts have fired while pods were scheduled: %v (%v)", fired, err)
}

// evaluated: every rule was evaluated after that time, and Prometheus could do it.
func (m *monitored) evaluated(after time.Time) {
	var groups []bed.Rules
	var err error
	done := cluster.Until(time.Until(after)+soon, func() bool {
		groups, err = m.Groups()
		return err == nil && len(groups) == 1 && groups[0].LastEvaluation.After(after)
	})
	if !m.check(done, "the rules were not evaluated within %v: %v %v", soon, groups, err) {
		return
	}
	m.check(len(groups[0].Rules) == len(m.rules), "Prometheus has %d rules, alerts.yaml %d", len(groups[0].Rules), len(m.rules))
	for _, rule := range groups[0].Rules {
		m.check(rule.Health == "ok", "%s: %s: %s", rule.Name, rule.Health, rule.LastError)
	}
}

var metricName = regexp.MustCompile(`\b(winnow|scheduler)_\w+|\bup\b`)

// namesWhatThereIs: Prometheus has each metric that an alert looks at. Without it an alert is quiet for ever.
func (m *monitored) namesWhatThereIs() {
	for _, rule := range m.rules {
		for _, name := range metricName.FindAllString(rule.Expr, -1) {
			found, err := m.Query("count(" + name + ")")
			m.check(err == nil && len(found) == 1, "%s looks at %s, of which there is nothing (%v)", rule.Alert, name, err)
		}
	}
}

// winnowGone: Winnow is killed, and started again while there is no API server. It is missed, then it answers and knows
// nothing, and with the API servers all is well.
func (m *monitored) winnowGone() {
	m.quiet("WinnowDown", "WinnowAbsent", "WinnowWatchNotSynced")
	m.Winnow.Kill()
	m.firing("WinnowDown", `instance="`+m.instance()+`"`)
	m.firing("WinnowAbsent")
	m.withoutServers(func() {
		m.runWinnow(m.user(), m.Winnow.Port(), m.winnowFlags...)
		m.quiet("WinnowDown", "WinnowAbsent")
		m.firing("WinnowWatchNotSynced", `resource="pods"`)
		m.dashboardShows(func(query string) bool { return strings.Contains(query, watchErrors) })
	})
	m.check(cluster.Until(soon, m.Winnow.Ready), "winnow is not ready %v after the API servers are back", soon)
	m.quiet("WinnowWatchNotSynced")
}

// usageGone: who measures nodes does not, until what was measured is too old.
func (m *monitored) usageGone(api *usage.API) {
	m.quiet("WinnowNodeMetricsStale")
	api.Turn(usage.Refuses)
	m.firing("WinnowNodeMetricsStale", `source="metrics-server"`)
	api.Turn(usage.Sound)
	m.quiet("WinnowNodeMetricsStale")
}

// serversGone: nobody has a word about any resource for two minutes.
func (m *monitored) serversGone() {
	m.quiet("WinnowWatchSilent")
	m.withoutServers(func() {
		for _, resource := range []string{"pods", "nodes"} {
			m.firesWithin(silent, "WinnowWatchSilent", `resource="`+resource+`"`)
		}
	})
	m.check(cluster.Until(soon, m.Winnow.Ready), "winnow is not ready %v after the API servers are back", soon)
	m.quiet("WinnowWatchSilent")
}

// tokenTaken: the API servers no longer take Winnow's token, and there is a pod to bind. Both alerts look back for
// minutes: nobody waits until they are quiet again.
func (m *monitored) tokenTaken() {
	m.quiet("WinnowBindsDenied")
	m.check(m.alertsOf("WinnowDenied", `code="401"`) == 0, "WinnowDenied fires before the token is taken")
	m.later(func() { m.takeTokens() })
	m.takeTokens(bed.Winnow)
	m.add(cluster.Pod("meanwhile"))
	m.firing("WinnowDenied", `code="401"`)
	m.firing("WinnowBindsDenied")
}

// withoutServers stops all API servers, and starts them when it has done that.
func (m *monitored) withoutServers(do func()) {
	m.within(func() {
		m.later(func() {
			for _, server := range m.Servers {
				m.must(server.Start())
			}
		})
		for _, server := range m.Servers {
			server.Kill()
		}
		do()
	})
}

// instance is what Prometheus calls Winnow.
func (m *monitored) instance() string { return strings.TrimPrefix(m.Winnow.URL, "http://") }

func (m *monitored) firing(name string, labels ...string) { m.firesWithin(soon, name, labels...) }

func (m *monitored) firesWithin(limit time.Duration, name string, labels ...string) {
	begin := time.Now()
	fired := cluster.Until(limit, func() bool { return m.alertsOf(name, labels...) > 0 })
	if m.check(fired, "%s %v does not fire within %v", name, labels, limit) {
		m.note("%s %v fires after %.1f s", name, labels, time.Since(begin).Seconds())
	}
}

// quiet: the alerts end. What was evaluated before does not count.
func (m *monitored) quiet(names ...string) {
	for _, name := range names {
		m.check(slices.ContainsFunc(m.rules, func(a alert) bool { return a.Alert == name }), "there is no alert %s", name)
		begin := time.Now()
		ended := cluster.Until(soon, func() bool { return m.alertsOf(name) == 0 })
		m.check(ended, "%s still fires after %v", name, time.Since(begin))
	}
}

// alertsOf counts the alerts of the name that fire, with those labels; -1: Prometheus does not say.
func (m *monitored) alertsOf(name string, labels ...string) int {
	all := append([]string{fmt.Sprintf("alertname=%q", name), `alertstate="firing"`}, labels...)
	found, err := m.Query("ALERTS{" + strings.Join(all, ",") + "}")
	if err != nil {
		return -1
	}
	return len(found)
}
