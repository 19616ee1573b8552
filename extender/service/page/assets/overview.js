// The overview: the nodes, who waits for what, and how Winnow is.
import { counted, h, nodeLink, number, pager, podLink, replace } from "./dom.js";
import { HeatMap, NodeTable, legend } from "./heatmap.js";
import { getJson, getMetrics, getReady } from "./server.js";

const METRICS = ["winnow_requests_total", "winnow_request_duration_seconds_sum", "winnow_request_duration_seconds_count",
  "winnow_watch_age_seconds", "winnow_devices"];
const VERBS = ["filter", "prioritize", "preempt", "explain", "other"];
const EVERY = 3000;

const tile = (label, value, state = "") => h("div", { class: `tile ${state}` }, h("dt", {}, label), h("dd", {}, value));

function sums(samples, name, by) {
  const found = new Map();
  for (const sample of samples.filter((one) => one.name === name))
    found.set(by(sample.labels), (found.get(by(sample.labels)) ?? 0) + sample.value);
  return found;
}

export class Overview {
  constructor() {
    this.resource = "cpu";
    this.before = null;
    this.hurries = 5;  // Times that it asks again at once, while why pods wait is being worked out.
    this.map = new HeatMap((name) => { location.hash = `#/node/${encodeURIComponent(name)}`; });
    this.table = new NodeTable(nodeLink, pager);
    this.tiles = h("dl", { class: "tiles" });
    this.waiting = h("div", { class: "waiting" });
    this.calls = h("tbody");
    this.devices = h("tbody");
    this.devicesSection = h("section", { "aria-labelledby": "devices-title", hidden: true },
      h("h2", { id: "devices-title" }, "Devices"),
      h("table", {}, h("caption", { class: "for-readers" }, "Devices by class"),
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "DeviceClass"),
          ["Devices", "Allocated", "Tainted", "Free"].map((text) => h("th", { scope: "col", class: "number" }, text)), h("td"))),
        this.devices));
    this.spoken = h("p", { class: "for-readers", "aria-live": "polite" });
    this.choice = h("select", { id: "resource", onchange: (event) => { this.resource = event.target.value; this.refresh(); } });
    this.element = h("div", {},
      h("h1", {}, "Overview"), this.tiles, this.spoken,
      h("section", { "aria-labelledby": "nodes-title" },
        h("div", { class: "title" }, h("h2", { id: "nodes-title" }, "Nodes"),
          h("label", { for: "resource" }, "requested of allocatable:"), this.choice),
        legend(), this.map.element,
        h("details", {}, h("summary", {}, "As a table"), this.table.element)),
      this.devicesSection,
      h("div", { class: "columns" },
        h("section", { "aria-labelledby": "waiting-title" }, h("h2", { id: "waiting-title" }, "Pods that wait"), this.waiting),
        h("section", { "aria-labelledby": "calls-title" }, h("h2", { id: "calls-title" }, "Calls"),
          h("table", { class: "calls" }, h("caption", { class: "for-readers" }, "Calls by verb"),
            h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Verb"),
              ["Calls", "A second", "Mean time", "Failed"].map((text) => h("th", { scope: "col", class: "number" }, text)))),
            this.calls))));
  }

  start() {
    this.refresh();
    this.timer = setInterval(() => { if (!document.hidden) this.refresh(); }, EVERY);
  }

  stop() {
    clearInterval(this.timer);
    this.stopped = true;
  }

  /** One round at a time: a slow answer is not overtaken, and a slow Winnow is not asked ever more. */
  async refresh() {
    this.again = true;
    if (this.asking) return;
    this.asking = true;
    while (this.again && !this.stopped) {
      this.again = false;
      await this.round();
    }
    this.asking = false;
  }

  async round() {
    try {
      const data = await getJson("page/overview", { resource: this.resource });
      this.showResources(data);
      if (this.map.show(data)) await this.takeNames(data);
      this.table.show(data, this.map.names);
      const [ready, samples, waiting] = await Promise.all([getReady(), getMetrics(METRICS), getJson("page/waiting")]);
      this.showTiles(data, ready, samples);
      this.showCalls(samples);
      this.showDevices(samples);
      this.showWaiting(waiting);
      this.onAnswer?.(null);
    } catch (error) {
      this.onAnswer?.(error);
    }
  }

  /** Names come in parts, so that no answer is large. */
  async takeNames(data) {
    for (let from = 0; from < data.nodes;) {
      const part = await getJson("page/names", { from });
      if (part.set !== data.set || part.names.length === 0) return;
      this.map.setNames(part.from, part.names);
      from += part.names.length;
    }
  }

  showResources(data) {
    if ([...this.choice.options].map((option) => option.value).join() === data.resources.join()) return;
    replace(this.choice, data.resources.map((name) => h("option", { value: name, selected: name === data.resource }, name)));
  }

  showTiles(data, ready, samples) {
    const ages = samples.filter((one) => one.name === "winnow_watch_age_seconds").map((one) => one.value);
    const age = ages.length > 0 ? `${Math.max(...ages).toFixed(0)} s` : "from files";
    replace(this.tiles, tile("Health", ready === "ok" ? "ready" : ready, ready === "ok" ? "good" : "bad"),
      tile("Nodes", number(data.nodes)), tile("Pods on nodes", number(data.pods)), tile("Waiting", number(data.pending), data.pending > 0 ? "some" : ""),
      tile("Last word of the API servers", age));
    // Without the number of pods: in a busy cluster a screen reader would say a new one every three seconds.
    const said = `${counted(data.nodes, "node")}, ${data.pending > 0 ? "pods wait" : "no pod waits"}, ${ready === "ok" ? "ready" : `not ready: ${ready}`}`;
    if (this.spoken.textContent !== said) this.spoken.textContent = said;
  }

  showCalls(samples) {
    const now = performance.now();
    const calls = sums(samples, "winnow_requests_total", (labels) => labels.verb);
    const bad = sums(samples.filter((one) => one.labels.result !== "ok"), "winnow_requests_total", (labels) => labels.verb);
    const spent = sums(samples, "winnow_request_duration_seconds_sum", (labels) => labels.verb);
    const timed = sums(samples, "winnow_request_duration_seconds_count", (labels) => labels.verb);
    // A Winnow that has started anew counts from 0.
    const rate = (verb) => (this.before ? Math.max(0, (calls.get(verb) ?? 0) - (this.before.calls.get(verb) ?? 0)) / ((now - this.before.at) / 1000) : 0);
    replace(this.calls, VERBS.filter((verb) => calls.has(verb)).map((verb) => h("tr", {}, h("th", { scope: "row" }, verb),
      [number(calls.get(verb)), rate(verb).toFixed(1),
        timed.get(verb) ? `${(1000 * spent.get(verb) / timed.get(verb)).toFixed(2)} ms` : "–",
        number(bad.get(verb) ?? 0)].map((text) => h("td", { class: "number" }, text)))));
    this.before = { at: now, calls };
  }

  /** By class, as winnow_devices counts them. A cluster without classes has no such section. */
  showDevices(samples) {
    const classes = new Map();
    for (const { labels, value } of samples.filter((one) => one.name === "winnow_devices"))
      classes.set(labels.class, { ...classes.get(labels.class), [labels.state]: value });
    this.devicesSection.hidden = classes.size === 0;
    replace(this.devices, [...classes].map(([name, { allocated = 0, tainted = 0, free = 0 }]) => {
      const all = allocated + tainted + free;
      const meter = h("meter", { min: "0", max: String(Math.max(all, 1)), value: String(allocated), "aria-label": `devices of ${name} allocated` });
      return h("tr", {}, h("th", { scope: "row" }, name),
        [all, allocated, tainted, free].map((value) => h("td", { class: "number" }, number(value))), h("td", {}, meter));
    }));
  }

  showWaiting(waiting) {
    const isFirst = waiting.judged === 0 && waiting.pending > 0;
    if (isFirst && this.hurries-- > 0) setTimeout(() => this.refresh(), 300);
    const key = JSON.stringify(waiting);
    if (key === this.waitingKey) return;
    this.waitingKey = key;
    const open = new Set([...this.waiting.querySelectorAll("details[open] summary .reason")].map((span) => span.textContent));
    const groups = waiting.groups.map((group) => h("li", {},
      h("details", { open: open.has(group.reason) },
        h("summary", { "data-keep": group.reason }, h("span", { class: "badge" }, counted(group.count, "pod")), " ", h("span", { class: "reason" }, group.reason)),
        h("ul", {}, group.pods.map((pod) => h("li", {}, podLink(pod))),
          group.count > group.pods.length ? h("li", {}, `and ${number(group.count - group.pods.length)} more`) : null))));
    const sums = (waiting.summary ?? []).map((line) => h("li", {}, line));
    replace(this.waiting, sums.length > 0 ? h("ul", { class: "sums" }, sums) : null,
      groups.length > 0 ? h("ul", { class: "groups" }, groups)
      : h("p", {}, isFirst ? `${counted(waiting.pending, "pod")} wait. Why is being worked out.` : "No pod waits."),
      waiting.more > 0 ? h("p", {}, `${counted(waiting.more, "pod")} more wait, for other reasons.`) : null,
      !isFirst && waiting.judged < waiting.pending
        ? h("p", {}, `${counted(waiting.pending - waiting.judged, "pod")} more wait. They were not looked at, so that calls are not held up.`) : null);
  }
}
