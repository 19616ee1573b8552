// One pod: why it waits, or why it went where it went. Nodes × rules, best first.
import { asksFor } from "./asks.js";
import { counted, h, nodeLink, nodeName, number, pager, podLink, replace, ruleName } from "./dom.js";
import { explain, getJson, isGone } from "./server.js";
import { refusing, verdict } from "./words.js";

const LIMIT = 25;

/** Rules that score, in the order of the answer, without those that have nothing to say about the pod. */
function scoringRules(nodes) {
  const rules = new Map();
  for (const node of nodes)
    for (const score of node.scores ?? []) {
      const said = rules.get(score.rule) ?? false;
      rules.set(score.rule, said || !score.skipped);
    }
  return [...rules].filter(([, says]) => says).map(([rule]) => rule);
}

const firstFailure = (node) => node.filters.find((filter) => !filter.fits);
const weighted = (score) => (score ? score.score * score.weight : 0);

/** Where two nodes differ, rule by rule, the largest difference first. */
function differences(best, next) {
  return best.scores.map((score) => {
    const other = next.scores.find((one) => one.rule === score.rule);
    return { rule: score.rule, by: weighted(score) - weighted(other) };
  }).filter((one) => one.by !== 0).sort((a, b) => Math.abs(b.by) - Math.abs(a.by));
}

const reasonOf = (node) => {
  const failure = firstFailure(node);
  return { rule: failure?.rule ?? "", text: failure?.error ?? failure?.reasons.join(", ") ?? "" };
};

/** Nodes one by one that fit, and those next to each other that refuse for the same reason together. */
function grouped(nodes) {
  const rows = [];
  for (const node of nodes) {
    const reason = node.fits ? null : reasonOf(node);
    const last = rows.at(-1);
    if (reason && last?.reason && last.reason.rule === reason.rule && last.reason.text === reason.text) last.nodes.push(node);
    else rows.push({ reason, nodes: [node] });
  }
  return rows;
}

/** Draws an explanation; `ask` gets another page of it. `isTried`: of a pod that is not there yet. */
export class Explained {
  constructor(ask, isTried = false) {
    this.ask = ask;
    this.isTried = isTried;
    this.page = { from: 0, limit: LIMIT, match: "", by: "" };
    this.verdict = h("p", { class: "verdict", "aria-live": "polite" });
    this.why = h("div");
    this.head = h("tr");
    this.body = h("tbody");
    this.pages = h("div");
    this.chosen = h("div", { class: "chosen" });
    this.element = h("div", {}, this.verdict, this.why,
      h("h2", {}, "Nodes × rules"),
      h("label", { class: "filter" }, "Filter nodes by name ", h("input", { type: "search", oninput: (event) => this.filter(event.target.value) })),
      h("div", { class: "wide", role: "region", tabindex: "0", "aria-label": "Nodes by rule" }, h("table", { class: "matrix" }, h("caption", { class: "for-readers" }, "Nodes, best first, with the weighted score of each rule"),
        h("thead", {}, this.head), this.body)),
      this.pages, this.chosen);
  }

  filter(text) {
    clearTimeout(this.typing);
    this.typing = setTimeout(() => this.turn({ match: text, from: 0 }), 200);
  }

  /** Asks for another page. An answer that comes after a later one is dropped. Tells onAnswer() of the error, or null and the answer: the
   *  pod may have gone, or Winnow. */
  async turn(change) {
    this.page = { ...this.page, ...change };
    this.asked = (this.asked ?? 0) + 1;
    const mine = this.asked;
    let error = null;
    let answer;
    try {
      answer = await this.ask(this.page);
    } catch (thrown) {
      error = thrown;
    }
    if (mine !== this.asked) return;
    if (!error) this.show(answer);
    this.onAnswer?.(error, answer);
  }

  show(answer) {
    this.causes = answer.page?.causes;
    replace(this.verdict, verdict(answer, this.isTried));
    this.showWhy(answer);
    this.showMatrix(answer);
  }

  showWhy(answer) {
    const parts = [];
    if (answer.warnings?.length)
      parts.push(h("h2", {}, "The API server would refuse"), h("ul", {}, answer.warnings.map((one) => h("li", {}, one))));
    for (const remark of answer.remarks ?? []) parts.push(h("p", {}, `Note: ${remark}.`));
    for (const what of answer.notJudged ?? []) parts.push(h("p", {}, `Not judged: ${what}.`));
    if (answer.page?.failures.length)
      parts.push(h("div", { class: "card" }, h("h2", {}, refusing(answer.page.of - answer.feasible, this.isTried)),
        h("table", {}, h("thead", {}, h("tr", {}, ["Nodes", "Rule", "Reason", "Evictions"].map((text) => h("th", { scope: "col" }, text)))),
          h("tbody", {}, answer.page.failures.map((group) => h("tr", {}, h("td", {}, h("span", { class: "badge" }, counted(group.nodes, "node"))), h("th", { scope: "row", class: "rule" }, ruleName(group.rule)),
            h("td", { class: "reason" }, group.reason, h("ul", { class: "causes" }, (group.causes ?? []).map((one) => h("li", {}, one)))), h("td", { class: "evictions" }, group.evictable > 0 ? `might help on ${number(group.evictable)}` : "cannot help"))))),
        answer.page.more > 0 ? h("p", {}, `${counted(answer.page.more, "node")} more, for other reasons.`) : null));
    if (answer.page?.places)
      parts.push(h("h2", {}, "Places held for others"), h("p", {}, "Nodes that would take the pod, if these were not held:"),
        h("ul", {}, answer.page.held.map((one) => h("li", {}, `${one}.`))),
        answer.page.places > answer.page.held.length ? h("p", {}, `And ${number(answer.page.places - answer.page.held.length)} more.`) : null);
    const preemption = answer.preemption;
    if (preemption?.node)
      parts.push(h("p", {}, "A preemption would evict ", preemption.victims.map((victim) => victim.pod ?? victim).join(", "), " from ", nodeLink(preemption.node), "."));
    if (preemption?.message) parts.push(h("p", {}, "A preemption would evict nobody. ", preemption.message));
    if (answer.suggestions?.length)
      parts.push(h("h2", {}, answer.suggestions[0].also ? "What would help, together" : "What would help, each by itself"), h("ul", {}, answer.suggestions.map((one) => h("li", {}, `${one.text}.`))));
    if (answer.noNewNode) parts.push(h("p", {}, answer.noNewNode.text));
    parts.push(asksFor(answer.asks));
    if (answer.rules) parts.push(h("p", {}, h("small", {}, `By the rules of ${answer.rules}.`)));
    const fitting = answer.nodes.filter((node) => node.scores);
    if (this.page.from === 0 && !this.page.match && !this.page.by && fitting.length > 1) parts.push(this.toNext(fitting[0], fitting[1]));
    replace(this.why, parts);
  }

  toNext(best, next) {
    const found = differences(best, next);
    const by = best.total - next.total;
    return h("section", {}, h("h2", {}, "Why the best is the best"),
      h("p", {}, nodeLink(best.name), by === 0 ? " ties with " : ` is ${number(by)} ahead of `, nodeLink(next.name), found.length > 0 ? ":" : "."),
      h("ul", { class: "differences" }, found.map((one) => h("li", {}, h("b", { class: one.by > 0 ? "more" : "less" }, (one.by > 0 ? "+" : "−") + number(Math.abs(one.by))), " ", one.rule))));
  }

  showMatrix(answer) {
    const rules = scoringRules(answer.nodes);
    const sortBy = (text, by) => h("th", { scope: "col", class: "number", "aria-sort": this.page.by === by ? "descending" : "none" },
      h("button", { type: "button", "data-keep": `by ${by}`, onclick: () => this.turn({ by, from: 0 }) }, text));
    const heads = answer.feasible > 0;
    replace(this.head, h("th", { scope: "col" }, "Node"), !heads ? h("th", { scope: "col" }, "First rule that fails") : [sortBy("Total", ""), h("th", { scope: "col", class: "number" }, "Answer"), rules.map((rule) => sortBy(rule, rule))]);
    const page = answer.page ?? { from: 0, nodes: 0, failures: [] };
    replace(this.body, grouped(answer.nodes).map(({ reason, nodes }) => (reason
      ? this.refusals(reason, nodes, rules, page) : this.row(nodes[0], rules))));
    replace(this.pages, pager({ from: page.from, limit: LIMIT, of: page.nodes, what: "node", turn: (from) => this.turn({ from }) }));
    replace(this.chosen);
  }

  open(node) {
    return h("button", { type: "button", class: "link", onclick: () => this.choose(node) }, nodeName(node.name));
  }

  /** One row for the nodes of this page that refuse for one reason. */
  refusals(reason, nodes, rules, page) {
    const all = page.failures.find((group) => group.rule === reason.rule && group.reason === reason.text);
    const count = all && !this.page.match && all.nodes > nodes.length ? `${nodes.length} of ${counted(all.nodes, "node")}` : counted(nodes.length, "node");
    return h("tr", { class: "unfit" },
      h("th", { scope: "row", class: "names" }, h("span", { class: "badge" }, count), nodes.map((node) => [" ", this.open(node)])),
      h("td", { class: "reason", colspan: String(rules.length + 2) }, h("div", {}, `${reason.rule}: ${reason.text}`)));
  }

  row(node, rules) {
    const open = this.open(node);
    const cells = rules.map((rule) => {
      const score = node.scores?.find((one) => one.rule === rule);
      return h("td", { class: "number", title: score ? `${score.score} × ${score.weight}` : "" }, score ? number(weighted(score)) : "–");
    });
    return h("tr", {}, h("th", { scope: "row" }, open), h("td", { class: "number" }, node.scores ? number(node.total) : "–"),
      h("td", { class: "number" }, node.scores ? number(node.answer) : "–"), cells);
  }

  /** All rules of one node. */
  choose(node) {
    const causes = this.causes?.[node.name] ?? {};
    replace(this.chosen, h("h2", { tabindex: "-1" }, node.name, " ", h("small", {}, h("a", { href: `#/node/${encodeURIComponent(node.name)}` }, "this node"))),
      h("table", {}, h("caption", {}, "What each filter says"),
        h("tbody", {}, node.filters.map((filter) => h("tr", { class: filter.fits ? "" : "unfit" }, h("th", { scope: "row", class: "rule" }, ruleName(filter.rule)),
          h("td", {}, filter.fits ? (filter.skipped ? "does not concern it" : "fits") : [filter.error ?? filter.reasons.join(", "),
            h("ul", { class: "causes" }, (causes[filter.rule] ?? []).map((one) => h("li", {}, one)))]))))));
    this.chosen.firstChild.focus();
  }
}

export class PodPage {
  constructor(name) {
    this.explained = new Explained((page) => explain(name, page));
    this.name = name;
    this.decided = h("p", { class: "decided" });
    this.shown = h("div", {}, this.explained.element);
    this.element = h("div", {}, h("h1", {}, "Pod ", h("span", { class: "name" }, name)), this.decided, this.shown);
  }

  /** The pod is not there: says so, and names others like it. */
  async showGone() {
    const [namespace, name] = this.name.split("/");
    const others = h("p", {});
    replace(this.shown, h("p", { class: "verdict" }, `There is no pod ${name} in namespace ${namespace}: it has gone, or has not come yet.`), others);
    try {
      const { pods } = await getJson("page/pods", { text: name.replace(/-[^-]*$/, "") });
      if (pods.length > 0) replace(others, "Pods with a name like it: ", pods.slice(0, 5).map((pod, index) => [index > 0 ? ", " : "", podLink(pod.name)]), ".");
    } catch {
      // What matters has been said.
    }
  }

  /** The last decision that is kept. Where none is, or none may be read, nothing is said. */
  async showDecision() {
    try {
      const { decisions: [last] } = await getJson("decisions", { pod: this.name, limit: 1 });
      if (last) replace(this.decided, `Last decision, ${new Date(last.time).toLocaleString()}, ${last.verb}: ${last.text}`);
    } catch {
      replace(this.decided);
    }
  }

  start() {
    this.explained.onAnswer = (error) => {
      if (isGone(error)) this.showGone();
      this.onAnswer?.(isGone(error) ? null : error);
    };
    this.explained.turn({});
    this.showDecision();
  }

  stop() {}
}
