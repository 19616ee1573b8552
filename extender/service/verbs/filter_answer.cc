#include "extender/service/verbs/filter_answer.h"

#include <array>
#include <map>

#include "cluster/memory_budget.h"
#include "cluster/text/json.h"
#include "extender/engine/engine.h"
#include "extender/service/scheduling/node_request.h"

namespace winnow {
namespace {

/// The quoted texts of failed nodes. There are few different texts, as a rule, so each is made once.
class ReasonTexts {
 public:
  /// @param remark  appended to each text.
  ReasonTexts(const Filtered& filtered, std::string_view remark) : filtered_(filtered), remark_(remark) {}

  std::string_view of(std::size_t rule, Verdict verdict) {
    const Key key(rule, verdict.bits());
    if (last_ != nullptr && last_->first == key) return last_->second;  // Neighbours often fail alike.
    const auto [entry, is_new] = entries_.try_emplace(key);
    if (is_new) entry->second = quoted(joined(filtered_.reasons(rule, verdict)));
    last_ = &*entry;
    return entry->second;
  }

  /// The reasons of all rules that refuse the node, if all rules were run.
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
    append_quoted_line(quoted, text.append(remark_));
    return quoted;
  }

 private:
  static std::string joined(const std::vector<std::string_view>& texts) {
    std::string text;
    for (const std::string_view one : texts) text.append(text.empty() ? "" : ", ").append(one);
    return text;
  }

  const Filtered& filtered_;
  std::string_view remark_;
  using Key = std::pair<std::size_t, std::uint64_t>;  ///< Rule and verdict.
  std::map<Key, std::string> entries_;
  const std::pair<const Key, std::string>* last_ = nullptr;
};

/// The most bytes of reasons in an answer: those of 100,000 nodes, as a rule, at 1 GiB. The nodes behind are
/// there with kLeftOut.
std::size_t most_reasons() { return share_of_memory(64, std::size_t{1} << 20, std::size_t{64} << 20); }
constexpr std::string_view kLeftOut = "reason left out: the answer has too many long ones";

/// Whether no eviction can help on a failed node: one unresolvable reason is enough.
bool unresolvable(const Filtered& filtered, std::size_t node, std::size_t nodes) {
  if (filtered.matrix.empty()) return filtered.verdict[node].fit() == Fit::kUnresolvable;
  for (std::size_t rule = 0; rule < filtered.bound.size(); ++rule)
    if (filtered.matrix[rule * nodes + node].fit() == Fit::kUnresolvable) return true;
  return false;
}

/// Calls with the quoted name of each node of the request that the cache does not have.
template <class Each>
void for_each_unknown(const NodeRequest& request, const std::vector<std::uint32_t>& places,
                      const Each& each) {
  auto known = places.begin();
  for (std::size_t i = 0; i < request.node_count(); ++i)
    if (known != places.end() && *known == i)
      ++known;
    else
      each(request.quoted_name(i));
}

}  // namespace

void append_filter_answer(std::string& out, const NodeRequest& request,
                          const std::vector<std::uint32_t>& places, const Filtered& filtered,
                          std::string_view remark, const std::vector<std::uint8_t>& beyond_help) {
  const std::size_t n = places.size();
  std::vector<std::uint8_t> fits(request.node_count(), 0);
  std::array<std::vector<std::size_t>, 2> failing;  // Nodes that eviction might help, and the others.
  // What is read for each node is in locals, for the flags are bytes, which might be anything's.
  const std::uint16_t* const failed_by = filtered.failed_by.data();
  const std::uint32_t* const place = places.data();
  std::uint8_t* const fit = fits.data();
  for (std::size_t i = 0; i < n; ++i) {
    fit[place[i]] = failed_by[i] == Filtered::kNobody ? 1 : 0;
    if (failed_by[i] != Filtered::kNobody) [[unlikely]]
      failing[unresolvable(filtered, i, n) || (!beyond_help.empty() && beyond_help[i])].push_back(i);
  }
  constexpr std::size_t kUsualReason = 80;
  out.reserve(request.body_bytes() + kUsualReason * (failing[0].size() + failing[1].size()));
  ReasonTexts texts(filtered, remark);
  const std::string unknown_node = texts.quoted(std::string(kNotInCache));
  const std::string left_out = texts.quoted(std::string(kLeftOut));
  const std::size_t most = most_reasons();
  std::size_t reasons = 0;
  FilterAnswer answer(out, request.form());
  answer.feasible(request.nodes(), fits);
  for (const bool want_unresolvable : {false, true}) {
    want_unresolvable ? answer.begin_unresolvable() : answer.begin_failed();
    if (!want_unresolvable && places.size() < request.node_count())
      for_each_unknown(request, places, [&](std::string_view name) {
        answer.failed(name, reasons > most ? left_out : unknown_node);
        reasons += unknown_node.size();
      });
    for (const std::size_t i : failing[want_unresolvable]) {
      const std::string_view name = request.quoted_name(places[i]);
      if (reasons > most) {
        answer.failed(name, left_out);
        continue;
      }
      const std::string all = filtered.matrix.empty() ? std::string() : texts.of_all(i, n);
      const std::string_view reason =
          filtered.matrix.empty() ? texts.of(filtered.failed_by[i], filtered.verdict[i]) : all;
      answer.failed(name, reason);
      reasons += reason.size();
    }
  }
  answer.finish();
}

void append_picked_node(std::string& out, const NodeRequest& request, std::size_t place) {
  constexpr std::uint8_t kFits[] = {1};
  FilterAnswer answer(out, request.form());
  answer.feasible(request.nodes().subspan(place, 1), kFits);
  answer.begin_failed();
  answer.begin_unresolvable();
  answer.finish();
}

}  // namespace winnow
