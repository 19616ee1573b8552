// What is said of a pod: as it is, or as it would be where nobody has made it.
import { counted, nodeLink } from "./dom.js";

const gatesOf = (answer) => answer.gates.join(", ");

/** Of a pod of the cluster. */
function asItIs(answer) {
  if (answer.error) return ["It cannot be scheduled: ", answer.error];
  if (answer.node) return ["It runs on ", nodeLink(answer.node), answer.selected && answer.selected !== answer.node
    ? [". Scheduled again, it would go to ", nodeLink(answer.selected), "."] : "."];
  if (answer.assumed) return ["It is on its way to ", nodeLink(answer.assumed), "."];
  if (answer.nominated) return ["It is nominated for ", nodeLink(answer.nominated), answer.nominatedBy ? ` by ${answer.nominatedBy}.` : "."];
  const gates = answer.gates?.length ? `It waits for its scheduling gates: ${gatesOf(answer)}. ` : "";
  const leftOut = answer.notNominated ? ` It is not nominated: ${answer.notNominated}.` : "";
  if (answer.selected)
    return [gates ? `${gates}Without them it fits ` : "It waits, and fits ", `${counted(answer.feasible, "node")}. The best is `, nodeLink(answer.selected), `.${leftOut}`];
  return [gates ? `${gates}Without them: ` : "", answer.page.message, leftOut];
}

/** Of a pod that is not there yet. */
function asItWouldBe(answer) {
  if (answer.error) return ["It could not be scheduled: ", answer.error];
  const here = answer.node ? ["A pod of this name runs on ", nodeLink(answer.node), ". "] : "";
  const gates = answer.gates?.length ? `It would wait for its scheduling gates: ${gatesOf(answer)}. Without them it ` : "It ";
  if (!answer.selected) return [here, gates, "would fit no node: ", answer.page.message];
  const fits = `would fit ${counted(answer.feasible, "node")} of ${answer.page.of}. `;
  if (answer.tried?.daemonSet) return [here, gates, fits, "A DaemonSet has one pod on each node that it selects."];
  return [here, gates, fits, "The best would be ", nodeLink(answer.selected), "."];
}

export const verdict = (answer, isTried) => (isTried ? asItWouldBe(answer) : asItIs(answer));

/** "12 nodes do not fit", "1 node would not fit" */
export function refusing(count, isTried) {
  const not = isTried ? "would not fit" : count === 1 ? "does not fit" : "do not fit";
  return `${counted(count, "node")} ${not}`;
}
