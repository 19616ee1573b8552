package main

import (
	"encoding/json"
	"slices"
	"strings"

	"winnow.test/e2e/bed"
	"winnow.test/e2e/cluster"
)

// watchErrors has no series before a watch fails. Its query gives data when it does.
const watchErrors = "winnow_watch_errors_total"

// idleMetrics are those whose queries may be 0, or no number, while all is well, and why. They give a series all the same.
var idleMetrics = map[string]string{
	"winnow_refused_would_fit":      "no pod waits that would fit",
	"winnow_assumed_pods":           "a pod is on its way for milliseconds, and a scrape may see none",
	"winnow_places_held":            "the same: a nominated pod is tried at once",
	"winnow_apiserver_denied_total": "API servers deny nothing",
	"winnow_http_refused_total":     "the listener refuses nothing",
	"winnow_shadow_decisions_total": "no Winnow is a shadow",
}

// idleInWay are more of them, by way.
var idleInWay = map[string]map[string]string{
	bindingWay: {
		"winnow_nominations_total":                  "kube-scheduler asks, and nothing is nominated",
		"winnow_nomination_queue_pods":              "likewise",
		"winnow_nomination_duration_seconds_bucket": "likewise",
		"winnow_leader":                             "likewise",
	},
	gatedWay: {
		"winnow_binds_total":                  "kube-scheduler binds",
		"winnow_bind_duration_seconds_bucket": "likewise",
		"winnow_pass_duration_seconds_bucket": "kube-scheduler does not ask",
		"winnow_request_nodes_sum":            "likewise",
		"winnow_feasible_nodes_sum":           "likewise",
		"winnow_rejections_total":             "likewise",
		"winnow_refused_pods":                 "likewise",
	},
}

// shown is a query of the dashboard, and the panel's title.
type shown struct{ title, query string }

// dashboardShows: each of those queries of the dashboard is above 0, but the idle ones.
func (m *monitored) dashboardShows(those func(query string) bool) {
	missing := slices.DeleteFunc(m.dashboard(), func(one shown) bool { return !those(one.query) })
	m.check(len(missing) > 0, "the dashboard has none of these queries")
	m.checks += len(missing)
	cluster.Until(soon, func() bool {
		missing = slices.DeleteFunc(missing, m.shows)
		return len(missing) == 0
	})
	for _, one := range missing {
		found, err := m.Query(one.query)
		m.fail("%q of the dashboard shows nothing by %s: %v (%v)", one.title, one.query, found, err)
	}
}

// shows: the query gives a series, and is above 0 unless it is idle.
func (m *monitored) shows(one shown) bool {
	found, err := m.Query(one.query)
	if err != nil || len(found) == 0 {
		return false
	}
	return m.idle(one.query) || slices.ContainsFunc(found, func(s bed.Sample) bool { return s.Value > 0 })
}

func (m *monitored) idle(query string) bool {
	for _, metrics := range []map[string]string{idleMetrics, idleInWay[m.way]} {
		for name := range metrics {
			if strings.Contains(query, name+"{") {
				return true
			}
		}
	}
	return false
}

// dashboard gives the queries with the dashboard's variables filled in, as for one Winnow.
func (m *monitored) dashboard() (queries []shown) {
	file := struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}{}
	m.must(json.Unmarshal([]byte(m.read(m.manifest("monitoring/dashboard.json"))), &file))
	variables := strings.NewReplacer("$instance", m.instance(), "$__rate_interval", "10s")
	for _, panel := range file.Panels {
		for _, target := range panel.Targets {
			queries = append(queries, shown{panel.Title, variables.Replace(target.Expr)})
		}
	}
	return queries
}
