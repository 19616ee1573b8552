// One node: what it holds, and what would still fit.
import { amount, counted, h, number, pager, podLink, replace } from "./dom.js";
import { getJson, isGone } from "./server.js";

const LIMIT = 25;

export class NodePage {
  constructor(name) {
    this.name = name;
    this.from = 0;
    this.facts = h("div");
    this.pods = h("tbody");
    this.pages = h("div");
    this.fitting = h("div");
    this.element = h("div", {}, h("h1", {}, "Node ", h("span", { class: "name" }, name)), this.facts,
      h("h2", {}, "What would still fit"), this.fitting,
      h("h2", {}, "What it holds"),
      h("table", {}, h("caption", { class: "for-readers" }, "Pods of the node, those that request most first"),
        h("thead", {}, h("tr", {}, ["Pod", "CPU", "Memory", "Priority"].map((text) => h("th", { scope: "col", class: text === "Pod" ? "" : "number" }, text)))), this.pods),
      this.pages);
  }

  async start() {
    try {
      const node = await getJson("page/node", { name: this.name });
      this.show(node);
      this.showFitting(node, await getJson("page/waiting", { node: this.name }));
      this.onAnswer?.(null);
    } catch (error) {
      if (isGone(error)) replace(this.element, this.element.firstChild, h("p", { class: "verdict" }, `There is no node ${this.name}: it has gone, or has not come yet.`));
      this.onAnswer?.(isGone(error) ? null : error);
    }
  }

  stop() {}

  show(node) {
    const state = [node.flags & 1 ? "unschedulable" : "", node.flags & 2 ? "not ready" : ""].filter(Boolean).join(", ") || "ready";
    replace(this.facts,
      h("dl", { class: "tiles" }, [["Zone", node.zone || "none"], ["State", state], ["Pods", number(node.of)]].map(([label, value]) =>
        h("div", { class: "tile" }, h("dt", {}, label), h("dd", {}, value)))),
      node.taints.length > 0 ? [h("h2", {}, "Taints"), h("ul", {}, node.taints.map((taint) => h("li", {}, h("code", {}, taint))))] : null,
      node.held.length > 0 ? [h("h2", {}, "Held for pods that are not there yet"), h("ul", {}, node.held.map((one) => h("li", {}, `${one}.`)))] : null,
      h("h2", {}, "Resources"),
      h("table", {}, h("caption", { class: "for-readers" }, "Resources of the node"),
        h("thead", {}, h("tr", {}, ["Resource", "Requested", "Allocatable", "Free"].map((text) => h("th", { scope: "col", class: text === "Resource" ? "" : "number" }, text)), h("td"))),
        h("tbody", {}, node.resources.filter((one) => one.allocatable > 0 || one.requested > 0).map((one) => this.resource(one)))),
      node.devices.length > 0 ? this.devices(node) : null,
      h("details", {}, h("summary", {}, counted(Object.keys(node.labels).length, "label")),
        h("ul", {}, Object.entries(node.labels).map(([key, value]) => h("li", {}, h("code", {}, `${key}=${value}`))))));
    this.all = node.pods;
    this.of = node.of;
    this.draw();
  }

  resource(one) {
    const meter = h("meter", { min: "0", max: String(Math.max(one.allocatable, 1)), value: String(one.requested), "aria-label": `${one.name} requested` });
    return h("tr", {}, h("th", { scope: "row" }, one.name),
      [one.requested, one.allocatable, one.allocatable - one.requested].map((value) => h("td", { class: "number" }, amount(one.name, value))), h("td", {}, meter));
  }

  devices(node) {
    const holder = ({ claim, pods }) => h("li", {}, `claim ${claim}`, pods.length > 0 ? [" of ", pods.map((pod, index) => [index > 0 ? ", " : "", podLink(pod)])] : null);
    return [h("h2", {}, "Devices"),
      h("table", {}, h("caption", { class: "for-readers" }, "Devices of the node"),
        h("thead", {}, h("tr", {}, ["Device", "State", "Held by"].map((text) => h("th", { scope: "col" }, text)))),
        h("tbody", {}, node.devices.map((one) => h("tr", {}, h("th", { scope: "row" }, one.name), h("td", {}, one.state),
          h("td", {}, one.heldBy.length > 0 ? h("ul", { class: "holders" }, one.heldBy.map(holder)) : null))))),
      node.deviceCount > node.devices.length ? h("p", {}, `The node has ${number(node.deviceCount)} devices. These are the first.`) : null];
  }

  draw() {
    replace(this.pods, this.all.slice(this.from, this.from + LIMIT).map((pod) => h("tr", {}, h("th", { scope: "row" }, podLink(pod.name)),
      [amount("cpu", pod.cpu), amount("memory", pod.memory), number(pod.priority)].map((text) => h("td", { class: "number" }, text)))));
    replace(this.pages, pager({ from: this.from, limit: LIMIT, of: this.all.length, what: "pod", turn: (from) => { this.from = from; this.draw(); } }),
      this.of > this.all.length ? h("p", {}, `The node has ${number(this.of)} pods. These request most.`) : null);
  }

  showFitting(node, waiting) {
    const fits = waiting.groups.filter((group) => group.fits);
    const count = fits.reduce((sum, group) => sum + group.count, 0);
    const free = ["cpu", "memory", "pods"].map((name) => node.resources.find((one) => one.name === name))
      .map((one) => `${amount(one.name, Math.max(0, one.allocatable - one.requested))} ${one.name}`).join(", ");
    replace(this.fitting, h("p", {}, `Free by requests: ${free}.`),
      h("p", {}, waiting.pending === 0 ? "No pod waits." : `Of ${counted(waiting.pending, "pod")} that wait, ${number(count)} would fit here now.`),
      waiting.judged < waiting.pending ? h("p", {}, `${number(waiting.pending - waiting.judged)} were not looked at, so that calls are not held up.`) : null,
      h("ul", {}, fits.flatMap((group) => group.pods).slice(0, 20).map((pod) => h("li", {}, podLink(pod)))));
  }
}
