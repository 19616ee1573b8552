#include "extender/explain/hidden_pods.h"

#include <algorithm>
#include <cstddef>
#include <format>
#include <string>
#include <variant>
#include <vector>

#include "cluster/rule/cause.h"
#include "extender/explain/cause_text.h"
#include "extender/explain/decision_record.h"
#include "extender/explain/explanation.h"

namespace winnow {
namespace {

/// Replaces names in the parts of an answer.
class Hider {
 public:
  explicit Hider(SeesPods sees) : sees_(sees) {}
  bool hid_any() const { return hid_any_; }

  void hide(std::string& pod, const char* instead = "1 pod") {
    if (shows(pod)) return;
    pod = instead;
    hid_any_ = true;
  }

  /// Names that are shown stay, in order. The number of the others follows them.
  void hide(std::vector<std::string>& pods) {
    hide_some(pods, "pod", [this](const std::string& pod) { return shows(pod); });
  }

  void hide(Cause& cause) {
    const auto kind = std::ranges::find(cause_kinds(), cause.kind, &CauseKind::name);
    if (kind == cause_kinds().end()) return;
    hide_elsewhere(cause);
    for (auto& [name, value] : cause.fields) {
      auto* const texts = std::get_if<std::vector<std::string>>(&value);
      if (name == "namespaces" && texts != nullptr)
        hide_some(*texts, "namespace", [this](const std::string& ns) { return sees_(ns); });
      if (!std::ranges::contains(kind->pods, std::string_view(name))) continue;
      const bool is_claim = name == "heldBy" && kind->name == "device";
      if (auto* const text = std::get_if<std::string>(&value)) hide(*text, is_claim ? "1 claim" : "1 pod");
      if (texts != nullptr) hide(*texts);
    }
  }

  /// A suggestion to look for pods in a namespace would tell that they are there, and one to stop a pod names
  /// it.
  void hide(Help& help) {
    const auto tells = [&](const Cause& change) {
      return (change.kind == "namespaces" && !sees_(change.text("to"))) ||
             (change.kind == "devices" && !shows(change.text("claim")));
    };
    const std::size_t hidden = std::erase_if(help.suggestions, [&](const Suggestion& one) {
      return tells(one.change) || (one.also && tells(*one.also));
    });
    if (hidden > 0) hid_any_ = true;
    if (!help.no_new_node) return;
    if (auto& cause = help.no_new_node->cause) {
      const Cause before = *cause;
      hide(*cause);
      if (*cause != before) help.no_new_node->text = to_text(*cause);
    }
    std::vector<std::string>& sets = help.no_new_node->daemon_sets;
    hide_some(sets, "more", [this](const std::string& set) { return shows(set); });
  }

  void hide(HeldPlace& place) {
    std::string pod = place.pod();
    hide(pod);
    if (pod == place.pod()) return;
    place.ns.clear();
    place.name = std::move(pod);
  }

 private:
  /// A number of pods in namespaces that are not seen would answer any selector that is tried on them.
  void hide_elsewhere(Cause& cause) {
    const auto named =
        std::ranges::find(cause.fields, "elsewhere", &std::pair<std::string, Cause::Value>::first);
    if (named == cause.fields.end()) return;
    const auto* const names = std::get_if<std::vector<std::string>>(&named->second);
    if (names == nullptr || std::ranges::all_of(*names, [this](const std::string& ns) { return sees_(ns); }))
      return;
    std::erase_if(cause.fields, [](const auto& field) { return field.first.starts_with("elsewhere"); });
    hid_any_ = true;
  }

  /// What names no namespace, as a UID, is of nobody knows whom.
  bool shows(const std::string& pod) const {
    const std::size_t slash = pod.find('/');
    return slash != std::string::npos && sees_(std::string_view(pod).substr(0, slash));
  }

  template <class Shows>
  void hide_some(std::vector<std::string>& names, std::string_view one, const Shows& is_shown) {
    const std::size_t hidden = std::erase_if(names, [&](const std::string& name) { return !is_shown(name); });
    if (hidden == 0) return;
    names.push_back(std::format("{} {}{}", hidden, one, hidden == 1 || one == "more" ? "" : "s"));
    hid_any_ = true;
  }

  SeesPods sees_;
  bool hid_any_ = false;
};

}  // namespace

bool hide_pods(Explanation& explanation, SeesPods sees) {
  Hider hider(sees);
  for (NodeExplanation& node : explanation.nodes)
    for (FilterEntry& entry : node.filters)
      for (Cause& cause : entry.causes) hider.hide(cause);
  hider.hide(explanation.help);
  // They name labels of pods that may have been meant.
  const bool hides_remarks = !explanation.remarks.empty() &&
                             !sees(std::string_view(explanation.pod).substr(0, explanation.pod.find('/')));
  if (hides_remarks) explanation.remarks.clear();
  if (explanation.preemption) hider.hide(explanation.preemption->victims);
  for (HeldPlace& place : explanation.held) hider.hide(place);
  if (hider.hid_any()) explanation.summary = summarize(explanation);
  return hider.hid_any() || hides_remarks;
}

bool hide_pods(DecisionRecord& record, SeesPods sees) {
  Hider hider(sees);
  for (NearNode& node : record.nearest)
    for (KeptRefusal& refusal : node.refusals)
      for (Cause& cause : refusal.causes) hider.hide(cause);
  hider.hide(record.victims);
  return hider.hid_any();
}

}  // namespace winnow
