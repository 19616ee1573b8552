#include "extender/decisions/decision_record.h"

#include <format>
#include <map>

#include "extender/engine/fit_error.h"

namespace winnow {

std::string_view to_string(DecisionVerb verb) {
  constexpr std::string_view kTexts[kDecisionVerbs] = {"filter", "prioritize", "preempt",
                                                       "bind",   "nominate",   "shadow"};
  return kTexts[static_cast<std::size_t>(verb)];
}

std::string_view to_string(DecisionResult result) {
  constexpr std::string_view kTexts[kDecisionResults] = {"waiting", "bound",       "elsewhere", "refused",
                                                         "deleted", "bind_failed", "withdrawn", "nowhere",
                                                         "error",   "same",        "tie",       "other"};
  return kTexts[static_cast<std::size_t>(result)];
}

DecisionResult first_result(const DecisionRecord& record) {
  if (!record.error.empty()) return DecisionResult::kError;
  const bool may_find_none = record.verb != DecisionVerb::kBind && record.verb != DecisionVerb::kPrioritize;
  return may_find_none && record.fits == 0 ? DecisionResult::kNowhere : DecisionResult::kWaiting;
}

std::string nowhere_message(const DecisionRecord& record) {
  if (record.nodes == 0) return "no nodes available to schedule pods";
  std::map<std::string_view, std::size_t> counts;
  for (const RefusedByRule& rule : record.refused) {
    for (const KeptReason& reason : rule.reasons) counts[reason.text] += reason.nodes;
    if (rule.other_reasons > 0) counts["node(s) for other reasons"] += rule.other_reasons;
  }
  if (record.unknown_nodes > 0) counts[kNotInPicture] += record.unknown_nodes;
  return fit_error(counts, record.nodes);
}

}  // namespace winnow
