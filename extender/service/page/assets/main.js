// Which page is shown, and the search.
import { AttemptPage } from "./attempt.js";
import { counted, h, nodeLink, podLink, replace } from "./dom.js";
import { NodePage } from "./node.js";
import { Overview } from "./overview.js";
import { PodPage } from "./pod.js";
import { getJson, getText } from "./server.js";

const main = document.getElementById("main");
const trouble = document.getElementById("trouble");
let page = null;

/** Said once: a screen reader reads an alert again whenever it is written. */
function onAnswer(error) {
  const text = error?.message ?? "";
  trouble.hidden = error === null;
  if (trouble.textContent !== text) trouble.textContent = text;
}

/** A part of the hash; as it stands if a person has typed a percent sign there. */
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function pageOf(hash) {
  const [kind, ...rest] = hash.replace(/^#\//, "").split("/").map(decoded);
  if (kind === "pod" && (rest.length === 1 || rest.length === 2)) return ["pod", new PodPage(["default", ...rest].slice(-2).join("/"))];
  if (kind === "node" && rest.length === 1) return ["node", new NodePage(rest[0])];
  if (kind === "try") return ["try", new AttemptPage()];
  return ["overview", new Overview()];
}

function show() {
  if (location.hash === "#main" && page !== null) return;
  const isFirst = page === null;
  page?.stop();
  const [name, next] = pageOf(location.hash);
  page = next;
  page.onAnswer = (error) => { if (page === next) onAnswer(error); };
  onAnswer(null);
  replace(main, page.element);
  for (const link of document.querySelectorAll("nav a"))
    if (link.dataset.page === name) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  document.title = `${main.querySelector("h1").textContent} – Winnow`;
  if (!isFirst) main.focus();
  page.start();
}

const searchText = document.getElementById("search-text");
const found = document.getElementById("found");
const foundCount = document.getElementById("found-count");
let typing = 0;
let drawn = "";  // The text for which `found` has what was found.

async function search(text) {
  if (text === "") {
    found.hidden = true;
    return;
  }
  try {
    const pods = await getJson("page/pods", { text });
    if (searchText.value.trim() !== text) return;
    let node = [];
    try {
      node = [h("li", {}, "node ", nodeLink((await getJson("page/node", { name: text })).name))];
    } catch {
      // There is no node of that name.
    }
    replace(found, node, pods.pods.map((pod) => h("li", {}, podLink(pod.name), h("small", {}, pod.node === "" ? " waits" : ` on ${pod.node}`))),
      pods.more ? h("li", {}, "and more: type more of the name") : null);
    if (!found.hasChildNodes()) replace(found, h("li", {}, "No pod has that in its name, and no node is called so."));
    found.hidden = false;
    foundCount.textContent = `${counted(pods.pods.length, "pod")} found`;
    drawn = text;
  } catch (error) {
    onAnswer(error);
  }
}

searchText.addEventListener("input", () => {
  clearTimeout(typing);
  typing = setTimeout(() => search(searchText.value.trim()), 150);
});
document.getElementById("search").addEventListener("submit", (event) => {
  event.preventDefault();
  clearTimeout(typing);
  const text = searchText.value.trim();
  const open = () => { if (text !== "" && drawn === text) found.querySelector("a")?.click(); };
  if (drawn === text) open();
  else search(text).then(open);
});
document.getElementById("search").addEventListener("keydown", (event) => {
  if (event.key === "Escape") found.hidden = true;
});
found.addEventListener("click", (event) => {
  if (!event.target.closest("a")) return;
  found.hidden = true;
  searchText.value = "";
});

addEventListener("hashchange", show);
show();
getText("version").then((text) => { document.getElementById("about").textContent = `Winnow ${JSON.parse(text).version ?? ""}: read only`; }, () => {});
