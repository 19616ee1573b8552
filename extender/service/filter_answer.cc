// What filter answers: the nodes that fit, and why the others do not.
#include <array>
#include <ranges>

#include "extender/service/extender.h"
#include "extender/service/question.h"

namespace winnow {
namespace {

constexpr std::string_view kUnknownNode = "node(s) were not in Winnow's picture of the cluster yet";

/// The texts of failed nodes, quoted. There are few different ones, and neighbours tend to share them.
class ReasonTexts {
 public:
  /// @param remark  behind each of them.
  ReasonTexts(const Filtered& filtered, std::string_view remark) : filtered_(filtered), remark_(remark) {}

  std::string_view of(std::size_t rule, Verdict verdict) {
    for (const Entry& entry : entries_)
      if (entry.rule == rule && entry.verdict == verdict) return entry.quoted;
    Entry& entry = entries_.emplace_back(Entry{rule, verdict, {}});
    entry.quoted = quoted(joined(filtered_.reasons(rule, verdict)));
    return entry.quoted;
  }

  /// The reasons of several rules, where all were asked.
  std::string of_all(std::size_t node, std::size_t nodes) const {
    std::vector<std::string_view> texts;
    for (std::size_t rule = 0; rule < filtered_.bound.size(); ++rule) {
      const Verdict verdict = filtered_.matrix[rule * nodes + node];
      if (!verdict.fits())
        for (const std::string_view text : filtered_.reasons(rule, verdict)) texts.push_back(text);
    }
    return quoted(joined(texts));
  }

  std::string quoted(std::string text) const {
    std::string quoted;
    append_quoted(quoted, text.append(remark_));
    return quoted;
  }

 private:
  struct Entry {
    std::size_t rule;
    Verdict verdict;
    std::string quoted;
  };
  static std::string joined(const std::vector<std::string_view>& texts) {
    std::string text;
    for (const std::string_view one : texts) text.append(text.empty() ? "" : ", ").append(one);
    return text;
  }

  const Filtered& filtered_;
  std::string_view remark_;
  std::deque<Entry> entries_;
};

/// Whether eviction cannot help on a node that fails: one such reason among all that were found is enough.
bool unresolvable(const Filtered& filtered, std::size_t node, std::size_t nodes) {
  if (filtered.matrix.empty()) return filtered.verdict[node].fit() == Fit::kUnresolvable;
  for (std::size_t rule = 0; rule < filtered.bound.size(); ++rule)
    if (filtered.matrix[rule * nodes + node].fit() == Fit::kUnresolvable) return true;
  return false;
}

}  // namespace

std::vector<std::uint8_t> Extender::beyond_help(const Question& question, const Filtered& filtered) const {
  std::vector<std::uint8_t> marks;
  // With a node left kube-scheduler does not think of preemption.
  const auto fits = [&](std::size_t i) { return filtered.fits(i); };
  const auto all = std::views::iota(std::size_t{0}, question.known().size());
  if (options_.failed_nodes == FailedNodes::kJudged || std::ranges::any_of(all, fits)) return marks;
  const std::int32_t priority = question.pod().spec.priority.value_or(0);
  for (const std::size_t i : all) {
    const std::string_view name = question.view().node_name(question.known()[i]);
    const NodeId node = question.state().find_node(name);
    if (node == kNone || name == question.pod().status.nominated_node_name ||
        !question.state().has_lower_priority(node, priority))
      continue;
    marks.resize(question.known().size(), 0);
    marks[i] = 1;
  }
  return marks;
}

void Extender::encode_filter(Call& call, const Question& question, const Filtered& filtered,
                             const std::vector<std::uint8_t>& fits,
                             const std::vector<std::uint8_t>& beyond_help) {
  std::string& out = call.response.body;
  const std::size_t n = question.known().size();
  std::array<std::vector<std::size_t>, 2> failing;  // Those that eviction might help, and the others.
  for (std::size_t i = 0; i < n; ++i)
    if (!filtered.fits(i))
      failing[unresolvable(filtered, i, n) || (!beyond_help.empty() && beyond_help[i])].push_back(i);
  constexpr std::size_t kUsualReason = 80;
  out.reserve(call.bytes_in + kUsualReason * (failing[0].size() + failing[1].size()));
  ReasonTexts texts(filtered, call.remark);
  const std::string unknown_node = texts.quoted(std::string(kUnknownNode));
  FilterAnswer answer(out, question.form());
  answer.feasible(question.asked(), fits);
  for (const bool want_unresolvable : {false, true}) {
    want_unresolvable ? answer.begin_unresolvable() : answer.begin_failed();
    if (!want_unresolvable && n < question.asked().size())
      for (std::size_t i = 0; i < question.asked().size(); ++i)
        if (question.asked()[i].node == kNone) answer.failed(question.quoted_name(i), unknown_node);
    for (const std::size_t i : failing[want_unresolvable]) {
      const std::string_view name = question.quoted_name(question.places()[i]);
      if (filtered.matrix.empty())
        answer.failed(name, texts.of(filtered.failed_by[i], filtered.verdict[i]));
      else
        answer.failed(name, texts.of_all(i, n));
    }
  }
  answer.finish();
  call.times.lap(Pass::kEncode);
}

}  // namespace winnow
