// Questions to Winnow. Paths are relative to the page, so that they work behind a proxy with a path of its own.

export class Refused extends Error {
  constructor(text, status) {
    super(text);
    this.status = status;
  }
}

/** Whether Winnow says that what was asked about is not there. */
export const isGone = (error) => error instanceof Refused && error.status === 404;

/** Milliseconds until an answer is not waited for any more; Winnow gives up a call after 4.5 s by default. */
const PATIENCE = 10000;

async function ask(path, options) {
  let response;
  let text;
  try {
    response = await fetch(new URL(path, document.baseURI), { ...options, signal: AbortSignal.timeout(PATIENCE) });
    text = await response.text();
  } catch {
    throw new Error("Winnow does not answer.");
  }
  if (!response.ok) throw new Refused(text.trim() || `Winnow answers ${response.status}.`, response.status);
  return text;
}

const query = (values) => new URLSearchParams(
  Object.entries(values).filter(([, value]) => value !== "" && value !== undefined && value !== null)).toString();

export const getText = (path) => ask(path, {});
export const getJson = async (path, values = {}) => JSON.parse(await ask(`${path}?${query(values)}`, {}));

/** What /readyz says, whatever the status is: it tells more with 503. */
export async function getReady() {
  try {
    return (await ask("readyz", {})).trim();
  } catch (error) {
    if (error instanceof Refused) return error.message;
    throw error;
  }
}

export const explain = async (pod, page) => {
  const [namespace, name] = pod.split("/");
  return JSON.parse(await ask(`explain?${query(page)}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ Namespace: namespace, Name: name }),
  }));
};

export const tryPod = async (text, page) => JSON.parse(await ask(`page/try?${query(page)}`, {
  method: "POST", headers: { "Content-Type": "application/yaml" }, body: text,
}));

/** The samples of /metrics with these names: [{name, labels, value}]. */
export async function getMetrics(names) {
  const samples = [];
  for (const line of (await ask("metrics", {})).split("\n")) {
    const match = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line);
    if (!match || !names.includes(match[1])) continue;
    const labels = {};
    for (const [, key, value] of (match[2] ?? "").matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)) labels[key] = value;
    samples.push({ name: match[1], labels, value: Number(match[3].replace("+Inf", "Infinity")) });
  }
  return samples;
}
