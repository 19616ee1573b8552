// The verb filter: which of the nodes asked about the pod can run on.
#include <array>
#include <ranges>

#include "extender/service/extender.h"
#include "extender/service/question.h"

namespace winnow {
namespace {

constexpr std::string_view kUnknownNode = "\"node(s) were not in Winnow's picture of the cluster yet\"";

/// The texts of failed nodes, quoted. There are few different ones, and neighbours tend to share them.
class ReasonTexts {
 public:
  explicit ReasonTexts(const Filtered& filtered) : filtered_(filtered) {}

  std::string_view of(std::size_t rule, Verdict verdict) {
    for (const Entry& entry : entries_)
      if (entry.rule == rule && entry.verdict == verdict) return entry.quoted;
    Entry& entry = entries_.emplace_back(Entry{rule, verdict, {}});
    append_quoted(entry.quoted, joined(filtered_.reasons(rule, verdict)));
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
    std::string quoted;
    append_quoted(quoted, joined(texts));
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

void Extender::filter(Call& call) {
  if (const std::string why = unusable(); !why.empty()) return filter_error(call, why);
  const auto deciding = this->deciding(call);
  Question question(*call.world.picture, order_);
  if (options_.assume) question.release_assumed();
  if (!read_question(call, question, /*needs_nodes=*/true)) return;
  if (!call.engine) return filter_error(call, no_profile_error(question.pod()));
  notice_sampling(question);
  const Engine& engine = *call.engine;
  if (engine.rules().generation == Generation::kClassic)
    if (const auto error = basic_checks(question.pod(), question.view())) return filter_error(call, *error);

  const Filtered filtered = engine.filter(question.request(question.known()),
                                          engine.rules().always_check_all_predicates, call.times);
  if (const auto error = filtered.error()) return filter_error(call, *error);

  std::vector<std::uint8_t> fits(question.asked().size(), 0);
  call.record.feasible = 0;
  call.rejected.assign(call.world.engines->predicate_names().size(), 0);
  for (std::size_t i = 0; i < question.known().size(); ++i) {
    if (filtered.fits(i)) {
      fits[question.places()[i]] = 1;
      ++call.record.feasible;
    } else {
      ++call.rejected[call.world.engines->predicate_index(engine, filtered.failed_by[i])];
    }
  }
  if (options_.answer == AnswerMode::kBest && call.record.feasible > 0 &&
      answer_best(call, question, filtered))
    return;
  // With one node left kube-scheduler does not ask which is best.
  std::string only;
  if (options_.answer == AnswerMode::kOne && call.record.feasible == 1)
    for (std::size_t i = 0; i < question.known().size(); ++i)
      if (filtered.fits(i)) only = question.view().node_name(question.known()[i]);
  const std::vector<std::uint8_t> beyond_help = this->beyond_help(question, filtered);
  question.unlock();
  if (!only.empty()) assume(call, question, only);
  encode_filter(call, question, filtered, fits, beyond_help);
}

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
  ReasonTexts texts(filtered);
  FilterAnswer answer(out, question.form());
  answer.feasible(question.asked(), fits);
  for (const bool want_unresolvable : {false, true}) {
    want_unresolvable ? answer.begin_unresolvable() : answer.begin_failed();
    if (!want_unresolvable && n < question.asked().size())
      for (std::size_t i = 0; i < question.asked().size(); ++i)
        if (question.asked()[i].node == kNone) answer.failed(question.quoted_name(i), kUnknownNode);
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

bool Extender::answer_best(Call& call, Question& question, const Filtered& filtered) {
  std::vector<NodeId> feasible;
  std::vector<std::uint32_t> places;
  for (std::size_t i = 0; i < question.known().size(); ++i)
    if (filtered.fits(i)) {
      feasible.push_back(question.known()[i]);
      places.push_back(question.places()[i]);
    }
  std::optional<std::size_t> chosen = 0;
  if (feasible.size() > 1) {
    const auto scored = call.engine->prioritize(question.request(feasible), /*keep_raw=*/false, call.times);
    if (!scored) {
      filter_error(call, scored.error());
      return true;
    }
    chosen = pick(question, feasible, scored->totals);
  }
  const std::string node(question.view().node_name(feasible[*chosen]));
  picks_.answered(question.pod_key(), node);
  call.times.lap(Pass::kSelect);
  question.unlock();
  assume(call, question, node);
  // The nodes that were not picked are left out: kube-scheduler reads the maps only when no node is left.
  FilterAnswer answer(call.response.body, question.form());
  const std::uint8_t fits[] = {1};
  answer.feasible(std::span(question.asked()).subspan(places[*chosen], 1), fits);
  answer.begin_failed();
  answer.begin_unresolvable();
  answer.finish();
  call.times.lap(Pass::kEncode);
  return true;
}

}  // namespace winnow
