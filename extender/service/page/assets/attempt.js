// A pod that nobody has created: where would it go? Nothing is written.
import { h } from "./dom.js";
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
    this.element = h("div", {}, h("h1", {}, "Try a pod"),
      h("form", { onsubmit: (event) => this.submit(event) },
        h("label", { for: "attempt" }, "The pod, as YAML or JSON"),
        h("p", { id: "attempt-help" }, "What kubectl get pod -o yaml prints will do. Nothing is written to the cluster."),
        this.text, h("p", {}, h("button", { type: "submit", class: "main" }, "Where would it go?"))),
      this.problem, this.result);
  }

  start() {}
  stop() {}

  submit(event) {
    event.preventDefault();
    const text = this.text.value;
    sessionStorage.setItem("attempt", text);
    this.problem.textContent = "";
    const explained = new Explained((page) => tryPod(text, page));
    this.last = explained;
    explained.onAnswer = (error) => {
      if (explained !== this.last) return;
      this.problem.textContent = error?.message ?? "";
      if (error) this.result.replaceChildren();
      else if (!explained.element.isConnected) this.result.replaceChildren(explained.element);
    };
    explained.turn({});
  }
}
