// The nodes as a heat map, zone by zone. It is one stop of the Tab key; arrow keys move in it.
import { counted, h, replace } from "./dom.js";

const STEPS = 10;

/** The step of the scale: 0 to 10, 11 for more than all, "none" where the node does not offer the resource. */
function stepOf(used) {
  if (used < 0) return "none";
  return used > 1000 ? STEPS + 1 : Math.floor(used / 100);
}

const percent = (used) => (used < 0 ? "not offered" : `${(used / 10).toFixed(0)} %`);
const marks = (flags) => [flags & 1 ? "unschedulable" : "", flags & 2 ? "not ready" : ""].filter(Boolean);
const sizeFor = (count) => (count <= 48 ? "large" : count <= 600 ? "medium" : "small");

export class HeatMap {
  constructor(open) {
    this.open = open;
    this.cells = [];
    this.names = [];
    this.set = null;
    this.current = 0;
    this.lost = null;  // The node that had the focus before the nodes were drawn anew.
    this.map = h("div", { class: "heatmap", role: "group", "aria-label": "Nodes by zone", onkeydown: (event) => this.move(event) });
    this.map.addEventListener("mouseover", (event) => this.tell(event.target));
    this.map.addEventListener("focusin", (event) => this.tell(event.target));
    this.map.addEventListener("click", (event) => this.choose(event.target));
    this.told = h("p", { class: "told", "aria-hidden": "true" }, "Point at a node, or move with the arrow keys.");
    this.element = h("div", {}, this.map, this.told);
  }

  /** @param data  what /page/overview answers. @return whether names of nodes are wanted: all anew, or some that have not
   *  come, for Winnow was away. */
  show(data) {
    if (data.set !== this.set) this.build(data);
    this.data = data;
    data.used.forEach((used, index) => this.paint(index, used, data.flags[index]));
    return this.names.length < data.nodes;
  }

  setNames(from, names) {
    names.forEach((name, index) => {
      this.names[from + index] = name;
      this.label(from + index);
      if (name === this.lost) this.refocus(from + index);
    });
  }

  /** The node that had the focus has it again, when the nodes have been drawn anew. */
  refocus(index) {
    this.lost = null;
    this.select(index);
    if (document.activeElement === document.body) this.cells[index].focus();
  }

  build(data) {
    this.set = data.set;
    if (this.map.contains(document.activeElement)) this.lost = this.names[this.current];
    this.names = [];
    this.current = 0;
    const size = sizeFor(data.nodes);
    this.map.className = `heatmap ${size}`;
    this.cells = data.used.map((_, index) => h("button", { type: "button", tabindex: index === 0 ? "0" : "-1" }));
    let next = 0;
    replace(this.map, data.zones.map((zone) => {
      const cells = this.cells.slice(next, next + zone.nodes);
      next += zone.nodes;
      return h("section", { class: "zone" },
        h("h3", {}, zone.name || "no zone", h("small", {}, counted(zone.nodes, "node"))),
        h("div", { class: "cells" }, cells));
    }));
    this.painted = [];
    this.isLarge = size === "large";
  }

  paint(index, used, flags) {
    const look = `${used} ${flags} ${this.data.resource}`;
    if (this.painted[index] === look) return;
    this.painted[index] = look;
    this.cells[index].className = `cell step-${stepOf(used)}${flags & 1 ? " cordoned" : ""}${flags & 2 ? " not-ready" : ""}`;
    this.label(index);
  }

  text(index) {
    const words = [this.names[index] ?? "node", `${this.data.resource} ${percent(this.data.used[index])}`,
      ...marks(this.data.flags[index])];
    return words.join(", ");
  }

  label(index) {
    const cell = this.cells[index];
    cell.setAttribute("aria-label", this.text(index));
    if (!this.isLarge) return;
    replace(cell, h("span", { class: "name" }, this.names[index] ?? ""), h("span", { class: "share" }, percent(this.data.used[index])),
      marks(this.data.flags[index]).map((mark) => h("span", { class: "mark" }, mark)));
  }

  indexOf(target) {
    const cell = target.closest?.("button.cell");
    return cell ? this.cells.indexOf(cell) : -1;
  }

  tell(target) {
    const index = this.indexOf(target);
    if (index < 0) return;
    this.told.textContent = this.text(index);
    if (this.cells[index] === document.activeElement) this.select(index);  // A click has put the focus there.
  }

  choose(target) {
    const index = this.indexOf(target);
    if (index >= 0 && this.names[index]) this.open(this.names[index]);
  }

  /** The nearest cell above or below, by where cells stand. */
  vertical(down) {
    const here = this.cells[this.current].getBoundingClientRect();
    let best = this.current;
    let distance = Infinity;
    const step = down ? 1 : -1;
    for (let index = this.current + step, rows = 0, top = here.top; index >= 0 && index < this.cells.length; index += step) {
      const there = this.cells[index].getBoundingClientRect();
      if (Math.abs(there.top - top) > 1) {
        top = there.top;
        rows += 1;
      }
      if (rows > 1) break;
      if (rows === 1 && Math.abs(there.left - here.left) < distance) {
        distance = Math.abs(there.left - here.left);
        best = index;
      }
    }
    return best;
  }

  move(event) {
    const last = this.cells.length - 1;
    const to = { ArrowRight: () => Math.min(this.current + 1, last), ArrowLeft: () => Math.max(this.current - 1, 0),
      ArrowDown: () => this.vertical(true), ArrowUp: () => this.vertical(false), Home: () => 0, End: () => last }[event.key];
    if (!to || last < 0) return;
    event.preventDefault();
    this.select(to());
    this.cells[this.current].focus();
  }

  select(index) {
    this.cells[this.current].setAttribute("tabindex", "-1");
    this.current = index;
    this.cells[index].setAttribute("tabindex", "0");
  }
}

/** What the colours mean. */
export const legend = () => h("div", { class: "legend", "aria-hidden": "true" },
  h("span", {}, "0 %"), Array.from({ length: STEPS + 1 }, (_, step) => h("i", { class: `cell step-${step}` })),
  h("span", {}, "100 %"), h("i", { class: "cell step-11" }), h("span", {}, "more"),
  h("i", { class: "cell step-none" }), h("span", {}, "not offered"),
  h("i", { class: "cell step-2 cordoned" }), h("span", {}, "unschedulable"),
  h("i", { class: "cell step-2 not-ready" }), h("span", {}, "not ready"));

/** The nodes as a table: what the heat map shows, for those who read rather than look. */
export class NodeTable {
  constructor(nodeLink, pager) {
    this.nodeLink = nodeLink;
    this.pager = pager;
    this.from = 0;
    this.match = "";
    this.byName = false;
    this.body = h("tbody");
    this.pages = h("div");
    this.sortButtons = [["Node", true], ["Requested", false]].map(([text, byName]) =>
      h("th", { scope: "col" }, h("button", { type: "button", onclick: () => this.sort(byName) }, text)));
    this.element = h("div", {},
      h("label", { class: "filter" }, "Filter by name ", h("input", { type: "search", oninput: (event) => this.filter(event.target.value) })),
      h("table", {}, h("caption", { class: "for-readers" }, "Nodes, and what pods request of them"),
        h("thead", {}, h("tr", {}, this.sortButtons, h("th", { scope: "col" }, "State"))), this.body),
      this.pages);
  }

  filter(text) {
    this.match = text;
    this.from = 0;
    this.draw();
  }

  sort(byName) {
    this.byName = byName;
    this.from = 0;
    this.draw();
  }

  show(data, names) {
    this.data = data;
    this.names = names;
    this.draw();
  }

  draw() {
    if (!this.data) return;
    const limit = 12;
    const order = this.data.used.map((_, index) => index).filter((index) => (this.names[index] ?? "").includes(this.match));
    if (!this.byName) order.sort((a, b) => this.data.used[b] - this.data.used[a]);
    this.from = Math.min(this.from, Math.max(0, Math.floor((order.length - 1) / limit) * limit));
    this.sortButtons.forEach((cell, index) => cell.setAttribute("aria-sort", (index === 0) === this.byName ? (index === 0 ? "ascending" : "descending") : "none"));
    replace(this.body, order.slice(this.from, this.from + limit).map((index) => h("tr", {},
      h("th", { scope: "row" }, this.names[index] ? this.nodeLink(this.names[index]) : ""),
      h("td", { class: "number" }, percent(this.data.used[index])),
      h("td", {}, marks(this.data.flags[index]).join(", ") || "ready"))));
    replace(this.pages, this.pager({ from: this.from, limit, of: order.length, what: "node", turn: (to) => { this.from = to; this.draw(); } }));
  }
}

