// Elements, made without markup: what comes from the cluster is always text.

/** Makes an element. attributes: `class`, `on…` for listeners, and others by name; false and null leave one out. */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** Replaces the children. A control in them that is drawn anew under the same `data-keep` keeps the focus; one that is
 *  disabled now, as on the last page, gives it to another. */
export function replace(element, ...children) {
  const focused = element.contains(document.activeElement) ? document.activeElement.dataset.keep : null;
  element.replaceChildren(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  if (!focused) return;
  const controls = [...element.querySelectorAll("[data-keep]")];
  const same = controls.find((one) => one.dataset.keep === focused);
  (same?.disabled ? controls.find((one) => !one.disabled) : same)?.focus();
}

export const number = (value) => value.toLocaleString("en");

/** "3 pods", "1 pod" */
export const counted = (count, what) => `${number(count)} ${what}${count === 1 ? "" : "s"}`;

const breakable = (parts) => parts.flatMap((part, index) => (index === 0 ? [part] : [h("wbr"), part]));

/** A rule's name, which may be broken between its words, and a node's, between its labels. */
export const ruleName = (name) => breakable(name.split(/(?<=[a-z0-9])(?=[A-Z])/));
export const nodeName = (name) => breakable(name.split(/(?<=\.)/));

/** Bytes as Kubernetes writes them: 1536 Mi is "1.5Gi". */
export function bytes(value) {
  const units = ["", "Ki", "Mi", "Gi", "Ti", "Pi"];
  let unit = 0;
  while (Math.abs(value) >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${Number(value.toFixed(value < 10 ? 1 : 0))}${units[unit]}`;
}

/** An amount of a resource, as people write it. */
export function amount(resource, value) {
  if (resource === "cpu") return String(Number((value / 1000).toFixed(2)));
  if (resource === "memory" || resource.endsWith("storage") || resource.startsWith("hugepages-")) return bytes(value);
  return number(value);
}

const link = (href, text) => h("a", { href, "data-keep": href }, text);
export const podLink = (name) => link(`#/pod/${name.split("/").map(encodeURIComponent).join("/")}`, name);
export const nodeLink = (name) => link(`#/node/${encodeURIComponent(name)}`, name);

/** Buttons for a list that comes in parts. */
export function pager({ from, limit, of, what, turn }) {
  const last = Math.min(from + limit, of);
  const button = (text, to, on) => h("button", { type: "button", "data-keep": text, disabled: !on, onclick: () => turn(to) }, text);
  return h("div", { class: "pager" },
    h("span", {}, of === 0 ? `No ${what}s` : `${number(from + 1)}–${number(last)} of ${counted(of, what)}`),
    button("Previous", Math.max(0, from - limit), from > 0),
    button("Next", from + limit, last < of));
}
