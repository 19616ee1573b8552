// A pod that nobody has made: where would it go? Nothing is written.
import { h, replace } from "./dom.js";
import { Explained } from "./pod.js";
import { tryPod } from "./server.js";

const EXAMPLE = `apiVersion: v1
kind: Pod
metadata:
  name: try
  namespace: default
spec:
  schedulerName: default-scheduler
  containers:
  - name: app
    image: registry.k8s.io/pause:3.10
    resources:
      requests: {cpu: 500m, memory: 256Mi}
`;

export class AttemptPage {
  constructor(given = sessionStorage.getItem("attempt") ?? EXAMPLE) {
    this.text = h("textarea", { id: "attempt", rows: "18", spellcheck: "false", "aria-describedby": "attempt-help" });
    this.text.value = given;
    this.problem = h("p", { class: "problem", role: "alert" });
    this.result = h("div");
    this.choice = h("div");
    this.element = h("div", {}, h("h1", {}, "Try a pod, or what makes pods"),
      h("form", { onsubmit: (event) => this.submit(event) },
        h("label", { for: "attempt" }, "As YAML or JSON"),
        h("p", { id: "attempt-help" }, "A Pod, Deployment, ReplicaSet, StatefulSet, DaemonSet, Job or CronJob; a List, or several documents. What kubectl get -o yaml prints will do. Nothing is written to the cluster."),
        this.text, h("p", {}, h("button", { type: "submit", class: "main" }, "Where would it go?"))),
      this.problem, this.choice, this.result);
  }

  start() {}
  stop() {}

  submit(event) {
    event.preventDefault();
    sessionStorage.setItem("attempt", this.text.value);
    this.ask(this.text.value, 0);
  }

  /** Of several workloads one is asked about. */
  ask(text, which) {
    this.problem.textContent = "";
    const explained = new Explained((page) => tryPod(text, { ...page, which }), true);
    this.last = explained;
    explained.onAnswer = (error, answer) => {
      if (explained !== this.last) return;
      this.problem.textContent = error?.message ?? "";
      this.showChoice(answer?.tried, text);
      if (error) this.result.replaceChildren();
      else if (!explained.element.isConnected) this.result.replaceChildren(explained.element);
    };
    explained.turn({});
  }

  /** @param tried  the workloads of the text; absent: it is a Pod, or cannot be read. */
  showChoice(tried, text) {
    if (!tried) return replace(this.choice);
    if (tried.workloads.length === 1) return replace(this.choice, h("h2", {}, `A pod of ${tried.workloads[0]}`));
    const options = tried.workloads.map((name, index) => h("option", { value: String(index), selected: index === tried.which }, name));
    return replace(this.choice, h("p", {}, h("label", { for: "workload" }, "A pod of "),
      h("select", { id: "workload", "data-keep": "workload", onchange: (event) => this.ask(text, Number(event.target.value)) }, options)));
  }
}
