#!/usr/bin/env python3
"""Writes dashboard.json beside it: Winnow's dashboard for Grafana.

    python3 manifests/monitoring/make_dashboard.py            writes the file
    python3 manifests/monitoring/make_dashboard.py --check    exits 1 if the file is not what would be written

Grafana imports the file as it is, and asks for the Prometheus that scrapes Winnow.
"""
import json
import pathlib
import sys

OUTPUT = pathlib.Path(__file__).with_name("dashboard.json")

WIDTH, HEIGHT = 24, 8  # Of the whole page, in Grafana's columns; of a panel, in its rows.
INSTANCE = 'instance=~"$instance"'


def rate(metric, by, more="", over="$__rate_interval"):
    """The sum of a counter's rate by labels."""
    return f"sum by ({by}) (rate({metric}{{{INSTANCE}{more}}}[{over}]))"


def quantile(share, metric, by):
    buckets = rate(f"{metric}_bucket", f"{by}, le" if by else "le")
    return f"histogram_quantile({share}, {buckets})"


def gauge(metric, by="instance"):
    return f"max by ({by}) ({metric}{{{INSTANCE}}})"


# title, unit, what it shows, [(query, legend)]
ROWS = [
    ("Calls", [
        ("Calls a second", "reqps", "What kube-scheduler asks, and how the answers end.",
         [(rate("winnow_requests_total", "verb, result"), "{{verb}} {{result}}")]),
        ("Time of a call", "s", "From the last byte of the call to the first of its answer.",
         [(quantile(.5, "winnow_request_duration_seconds", "verb"), "{{verb}} half"),
          (quantile(.99, "winnow_request_duration_seconds", "verb"), "{{verb}} 99 %")]),
        ("Time of each pass", "s", "99 of 100 passes take at most so long.",
         [(quantile(.99, "winnow_pass_duration_seconds", "verb, pass"), "{{verb}} {{pass}}")]),
    ]),
    ("Answers", [
        ("Nodes rejected, by rule", "ops", "A node counts for the rule that rejects it first.",
         [(rate("winnow_rejections_total", "rule"), "{{rule}}")]),
        ("Nodes asked about, and nodes that fit", "short", "The mean of a filter call.",
         [(f"{rate('winnow_request_nodes_sum', 'verb')} / {rate('winnow_request_nodes_count', 'verb')}", "{{verb}} asked"),
          (f"{rate('winnow_feasible_nodes_sum', 'instance')} / {rate('winnow_feasible_nodes_count', 'instance')}", "fit")]),
        ("Pods that were refused", "short", "Pods that wait, and those of them that would fit by now.",
         [(gauge("winnow_refused_pods"), "refused"), (gauge("winnow_refused_would_fit"), "would fit")]),
    ]),
    ("The picture of the cluster", [
        ("Last word about a resource", "s", "Without changes there is a word each minute.",
         [(gauge("winnow_watch_age_seconds", "resource"), "{{resource}}")]),
        ("Events a second", "ops", "Changes of the cluster that Winnow has taken in.",
         [(rate("winnow_watch_events_total", "resource"), "{{resource}}")]),
        ("Nodes and pods", "short", "What the picture has.",
         [(gauge("winnow_state_nodes"), "nodes"), (gauge("winnow_state_pods"), "bound pods"),
          (gauge("winnow_state_pending_pods"), "waiting pods")]),
    ]),
    ("Pods on their way", [
        ("Nominations a second", "ops", "Nominations that have ended, by what became of them.",
         [(rate("winnow_nominations_total", "outcome"), "{{outcome}}")]),
        ("Waiting pods", "short", "Waiting pods of a Winnow that nominates, by state.",
         [(gauge("winnow_nomination_queue_pods", "state"), "{{state}}")]),
        ("Decisions of a shadow, a second", "ops", "What kube-scheduler did with the pod, beside what Winnow would do.",
         [(rate("winnow_shadow_decisions_total", "result"), "{{result}}")]),
        ("Binds a second", "ops", "Binds by result.", [(rate("winnow_binds_total", "result"), "{{result}}")]),
        ("Time of a bind, and of a nomination", "s", "Half of them, and 99 of 100, take at most so long.",
         [(quantile(.5, "winnow_bind_duration_seconds", ""), "bind half"),
          (quantile(.99, "winnow_bind_duration_seconds", ""), "bind 99 %"),
          (quantile(.5, "winnow_nomination_duration_seconds", ""), "nomination half"),
          (quantile(.99, "winnow_nomination_duration_seconds", ""), "nomination 99 %")]),
        ("Assumed pods, and places held", "short", "Counted on a node, and not seen there yet: all that this Winnow assumes; by evidence.",
         [(gauge("winnow_assumed_pods"), "{{instance}}"), (gauge("winnow_places_held", "by"), "held by {{by}}")]),
        ("Who nominates", "short", "1: this replica nominates.", [(gauge("winnow_leader"), "{{instance}}")]),
    ]),
    ("The process", [
        ("Memory", "bytes", "Resident memory.", [(gauge("process_resident_memory_bytes"), "{{instance}}")]),
        ("Processor", "short", "Processors in use.", [(rate("process_cpu_seconds_total", "instance"), "{{instance}}")]),
        ("What went wrong, a second", "ops", "Denied requests, failed watches, refused connections.",
         [(rate("winnow_apiserver_denied_total", "code"), "denied {{code}}"),
          (rate("winnow_watch_errors_total", "reason"), "watch {{reason}}"),
          (rate("winnow_http_refused_total", "cause"), "listener {{cause}}")]),
    ]),
]


def panel(number, x, y, width, title, unit, says, queries):
    return {"id": number, "type": "timeseries", "title": title, "description": says,
            "datasource": {"type": "prometheus", "uid": "${datasource}"},
            "gridPos": {"x": x, "y": y, "w": width, "h": HEIGHT},
            "fieldConfig": {"defaults": {"unit": unit, "min": 0, "custom": {"fillOpacity": 8, "showPoints": "never"}},
                            "overrides": []},
            "options": {"legend": {"displayMode": "list", "placement": "bottom"}, "tooltip": {"mode": "multi", "sort": "desc"}},
            "targets": [{"refId": chr(ord("A") + i), "expr": query, "legendFormat": legend}
                        for i, (query, legend) in enumerate(queries)]}


def panels():
    """A row of panels after the other, three side by side."""
    out, y = [], 0
    for title, row in ROWS:
        out.append({"id": len(out) + 1, "type": "row", "title": title, "collapsed": False, "panels": [],
                    "gridPos": {"x": 0, "y": y, "w": WIDTH, "h": 1}})
        y += 1
        for i, (name, unit, says, queries) in enumerate(row):
            width = WIDTH // 3
            out.append(panel(len(out) + 1, i % 3 * width, y + i // 3 * HEIGHT, width, name, unit, says, queries))
        y += (len(row) + 2) // 3 * HEIGHT
    return out


def variables():
    return [{"name": "datasource", "label": "Prometheus", "type": "datasource", "query": "prometheus"},
            {"name": "instance", "label": "Winnow", "type": "query", "includeAll": True, "allValue": ".*", "multi": True,
             "current": {"text": "All", "value": "$__all"}, "refresh": 2,
             "datasource": {"type": "prometheus", "uid": "${datasource}"},
             "query": {"query": "label_values(winnow_build_info, instance)", "refId": "instances"}}]


def dashboard():
    return {"uid": "winnow", "title": "Winnow", "tags": ["kubernetes", "scheduler"], "schemaVersion": 39, "version": 1,
            "editable": True, "refresh": "30s", "time": {"from": "now-1h", "to": "now"},
            "templating": {"list": variables()}, "panels": panels()}


def main():
    text = json.dumps(dashboard(), indent=1) + "\n"
    if sys.argv[1:] == ["--check"]:
        sys.exit(0 if OUTPUT.read_text(encoding="utf-8") == text else f"{OUTPUT} is not what {sys.argv[0]} writes")
    OUTPUT.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
