// What a pod asks for: its requests, selectors, tolerations, affinity and spread constraints.
import { amount, h } from "./dom.js";

/** @param asks  as /explain answers it for a page; absent: nothing is drawn. */
export function asksFor(asks) {
  if (!asks) return null;
  const requests = asks.requests.filter((one) => one.amount > 0).map((one) => `${one.name} ${amount(one.name, one.amount)}`);
  const parts = [{ what: "Requests", texts: requests.length > 0 ? requests : ["nothing"] }, ...asks.more];
  return h("section", { class: "asks", "aria-labelledby": "asks-title" }, h("h2", { id: "asks-title" }, "What it asks for"),
    h("dl", {}, parts.map((part) => h("div", {}, h("dt", {}, part.what), part.texts.map((text) => h("dd", {}, text))))));
}
