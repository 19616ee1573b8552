#include "extender/explain/suggestion_text.h"

#include <format>

#include "cluster/text/words.h"
#include "extender/explain/cause_text.h"
#include "extender/explain/suggestions.h"

namespace winnow {
namespace {

/// "podAffinity app=redis by zone"
std::string term_text(const Cause& change) {
  return std::format("{} {} by {}", change.text("from"), change.text("selector"), change.text("topologyKey"));
}

std::string new_node(const Cause& change) {
  std::string kind;
  const auto add = [&](const std::string& what) { kind += (kind.empty() ? "" : ", ") + what; };
  if (change.has("pool")) add("pool " + change.text("pool"));
  if (change.has("instanceType")) add(change.text("instanceType"));
  if (change.has("zone")) add(change.text("zone"));
  return "add a node like " + change.text("like") + (kind.empty() ? "" : " (" + kind + ')');
}

/// The change, without where the pod goes then.
std::string phrase(const Cause& change, const std::string& node) {
  const std::string& kind = change.kind;
  const auto text = [&](std::string_view field) { return change.text(field); };
  if (kind == "request")
    return std::format("ask for {} {}, not {}", text("to"), text("resource"), text("from"));
  if (kind == "toleration") return "tolerate the taint " + text("taint");
  if (kind == "requirement") return std::format("drop {} {}", text("from"), requirement_text(change));
  if (kind == "value")
    return std::format("ask for {}={}, not {}={} ({})", text("key"), text("to"), text("key"), text("wanted"),
                       text("from"));
  if (kind == "label") return std::format("give {} the label {}={}", node, text("key"), text("value"));
  if (kind == "maxSkew")
    return std::format("allow a maxSkew of {} for {}, not {} (or ScheduleAnyway)", text("to"),
                       text("topologyKey"), text("from"));
  if (kind == "scheduleAnyway")
    return std::format("spread over {} by ScheduleAnyway, not DoNotSchedule", text("topologyKey"));
  if (kind == "spreadPolicy")
    return std::format("set {}: {} for the spread over {}", text("field"), text("to"), text("topologyKey"));
  if (kind == "hostPort") return std::format("do without host port {}/{}", text("port"), text("protocol"));
  if (kind == "namespaces")
    return std::format("look for the pods of {} in namespace {}", term_text(change), text("to"));
  if (kind == "podTerm") return "drop " + term_text(change);
  if (kind == "podLabel") return std::format("drop the pod's label {}={}", text("key"), text("value"));
  if (kind == "volume") return "do without claim " + text("claim");
  if (kind == "devices")
    return change.has("pod")
               ? std::format("stop pod {}, whose claim {} holds devices", text("pod"), text("claim"))
               : std::format("have claim {} give back its devices", text("claim"));
  if (kind == "uncordon") return "uncordon " + node;
  if (kind == "node") return new_node(change);
  std::string other = kind;
  for (const auto& [name, value] : change.fields) other += std::format(" {}={}", name, change.text(name));
  return other;
}

/// Whether the phrase names the node already.
bool names_node(const Cause& change) {
  return change.kind == "uncordon" || change.kind == "label" || change.kind == "node";
}

}  // namespace

std::string to_text(const Suggestion& suggestion) {
  const auto& [change, node, nodes, also] = suggestion;
  const std::string first = phrase(change, node);
  if (!also) return names_node(change) ? first : first + ": it goes to " + node;
  return std::format("both: {}, and {}: it goes to {}", first, phrase(*also, node), node);
}

std::string to_text(const NoNewNode& none) {
  if (!none.daemon_sets.empty())
    return std::format(
        "One more node of the cluster's kinds is of no use, for the pod{} of DaemonSet{} {} come{} "
        "first.",
        none.daemon_sets.size() == 1 ? "" : "s", none.daemon_sets.size() == 1 ? "" : "s",
        joined(none.daemon_sets), none.daemon_sets.size() == 1 ? "s" : "");
  return (none.is_size ? "No node of the cluster's kinds would hold it, even an empty one: "
                       : "One more node of the cluster's kinds would not help: ") +
         none.text + '.';
}

std::string heading_of(const Help& help) {
  if (!help.suggestions.empty())
    return help.suggestions.front().also ? "No single change that was tried helps. What would help, together:"
                                         : "What would help, each by itself:";
  return help.fits_no_empty_node || help.no_new_node
             ? "None of the changes that were tried helps, neither one nor two together."
             : "";
}

}  // namespace winnow
