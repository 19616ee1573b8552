#include "extender/operate/withdraw.h"

#include <algorithm>
#include <format>
#include <map>
#include <optional>
#include <utility>

#include "cluster/api/decode.h"
#include "cluster/client/servers/pod_patcher.h"
#include "cluster/client/watch/lister.h"
#include "cluster/text/characters.h"
#include "cluster/text/encoding.h"
#include "cluster/text/field_result.h"
#include "cluster/text/json.h"
#include "extender/operate/held_leases.h"

namespace winnow {
namespace {

constexpr std::chrono::seconds kWriteLimit{10};
constexpr std::chrono::seconds kLookAgain{1};
/// A page that has expired, or a pod that is nominated anew, has all be listed again so often.
constexpr int kMostLists = 3;

/// A pod that waits and has something of Winnow's, or a nomination of somebody else's.
struct WaitingThing {
  live::PodIdentity pod;
  std::string node;  ///< Its nomination; "": none.
  std::string by;    ///< Who has written that; "": not told.
  bool gated = false;

  std::string name() const { return pod.ns + "/" + pod.name; }
  bool is_ours() const { return !node.empty() && by == live::kNominationManager; }
};

std::optional<WaitingThing> thing_of(const Pod& pod, const std::string& gate) {
  const ObjectMeta& meta = pod.metadata;
  if (!pod.spec.node_name.empty() || meta.deleting || has_ended(pod)) return std::nullopt;
  WaitingThing thing{.pod = {meta.namespace_, meta.name, meta.uid, meta.resource_version},
                     .node = pod.status.nominated_node_name,
                     .by = pod.status.nominated_by,
                     .gated = !gate.empty() && std::ranges::contains(pod.spec.scheduling_gates, gate)};
  if (thing.node.empty() && !thing.gated) return std::nullopt;
  return thing;
}

/// One withdrawal.
class Withdrawing {
 public:
  Withdrawing(const AskServer& ask, live::PodPatcher& patcher, live::Clock& clock,
              const WithdrawOptions& options)
      : ask_(ask), patcher_(patcher), clock_(clock), options_(options) {}

  std::expected<WithdrawReport, std::string> run() {
    WithdrawReport report{.options = options_, .all = {}, .unseen = {}};
    for (int round = 0; round < kMostLists; ++round) {
      const auto things = list();
      if (!things && round == 0) return std::unexpected(things.error());
      if (!things) report.unseen = "the pods were not shown again: " + things.error();
      if (!things || !take_away(*things, round + 1 == kMostLists)) break;
    }
    for (auto& [key, one] : done_) report.all.push_back(std::move(one));
    return report;
  }

 private:
  using Key = std::pair<std::string, bool>;  ///< The pod; whether it is the gate.

  std::expected<std::vector<WaitingThing>, std::string> list() const;
  std::expected<std::string, std::string> add_page(const std::string& next, std::vector<WaitingThing>& things,
                                                   int& status) const;
  bool take_away(const std::vector<WaitingThing>& things, bool last);
  bool take_nomination(const WaitingThing& thing, bool last);
  bool take_gate(const WaitingThing& thing);
  bool is_hopeless(const Key& key) const {
    const auto before = done_.find(key);
    return before != done_.end() && before->second.result == WithdrawResult::kFailed;
  }
  /// @return whether the pod was written.
  bool put(const Key& key, Withdrawn one, const live::PatchResult& result);

  const AskServer& ask_;
  live::PodPatcher& patcher_;
  live::Clock& clock_;
  const WithdrawOptions& options_;
  std::map<Key, Withdrawn> done_;
  std::map<bool, std::string> denied_;  ///< By whether it is of gates: all further ones would be denied, too.
};

/// Adds the pods of a page. @return where the next one begins, or one line.
std::expected<std::string, std::string> Withdrawing::add_page(const std::string& next,
                                                              std::vector<WaitingThing>& things,
                                                              int& status) const {
  std::string path = "/api/v1/pods?fieldSelector=spec.nodeName%3D&limit=500";
  if (!next.empty()) path += "&continue=" + percent_encoded(next);
  const auto answer =
      ask_({.method = "GET", .path = std::move(path), .body = "", .answer = live::AnswerOf::kList});
  status = answer ? answer->status : 0;
  if (!answer) return std::unexpected(answer.error());
  if (status != 200) return std::unexpected(std::to_string(status) + ": " + said_in_status(answer->body));
  const auto page = live::read_list_page(answer->body);
  if (!page) return std::unexpected("what is answered is no list of pods: " + page.error());
  for (const std::string_view item : page->items) {
    const auto pod = decode_pod(item);
    if (!pod) return std::unexpected("a pod cannot be read: " + pod.error().message);
    if (auto thing = thing_of(*pod, options_.gate)) things.push_back(std::move(*thing));
  }
  return page->next;
}

std::expected<std::vector<WaitingThing>, std::string> Withdrawing::list() const {
  std::vector<WaitingThing> things;
  std::string next;
  int expired = 0;
  do {
    int status = 0;
    auto after = add_page(next, things, status);
    if (!after && status == 410 && ++expired < kMostLists) {  // The pages took too long: from the first anew.
      things.clear();
      next.clear();
      continue;
    }
    if (!after) return std::unexpected(std::move(after).error());
    next = std::move(*after);
    if (next.empty()) return things;
  } while (true);
}

/// @return whether something was written, so that a look again is of use.
bool Withdrawing::take_away(const std::vector<WaitingThing>& things, bool last) {
  bool written = false;
  for (const WaitingThing& thing : things) {
    // The nomination goes first: without its gate kube-scheduler would follow it at once.
    if (!thing.node.empty()) written = take_nomination(thing, last) || written;
    if (thing.gated) written = take_gate(thing) || written;
  }
  return written;
}

bool Withdrawing::take_nomination(const WaitingThing& thing, bool last) {
  const Key key{thing.name(), false};
  Withdrawn one{.pod = thing.name(), .node = thing.node, .result = WithdrawResult::kLeft, .why = {}};
  if (!thing.is_ours()) {
    one.why = thing.by.empty() ? "it is not told who has written it" : "it is of " + thing.by;
    done_.insert_or_assign(key, std::move(one));
    return false;
  }
  if (is_hopeless(key)) return false;
  const auto before = done_.find(key);
  if (last && before != done_.end() && before->second.result == WithdrawResult::kCleared) {
    one.result = WithdrawResult::kFailed;
    one.why = "it was written again each time: a Winnow still nominates";
    done_.insert_or_assign(key, std::move(one));
    return false;
  }
  if (options_.dry_run) return put(key, std::move(one), {.outcome = live::PatchOutcome::kAlreadySo});
  if (const auto denied = denied_.find(false); denied != denied_.end())
    return put(key, std::move(one), {.outcome = live::PatchOutcome::kDenied, .error = denied->second});
  return put(key, std::move(one),
             patcher_.nominate(thing.pod, "", thing.node, clock_.now() + kWriteLimit, {}));
}

bool Withdrawing::take_gate(const WaitingThing& thing) {
  const Key key{thing.name(), true};
  if (is_hopeless(key)) return false;
  Withdrawn one{.pod = thing.name(), .node = {}, .result = WithdrawResult::kLeft, .why = {}};
  if (options_.dry_run) return put(key, std::move(one), {.outcome = live::PatchOutcome::kAlreadySo});
  if (const auto denied = denied_.find(true); denied != denied_.end())
    return put(key, std::move(one), {.outcome = live::PatchOutcome::kDenied, .error = denied->second});
  // Any version of the pod is patched: this gate goes, whatever else is written.
  live::PodIdentity pod = thing.pod;
  pod.resource_version.clear();
  return put(key, std::move(one), patcher_.remove_gate(pod, options_.gate, clock_.now() + kWriteLimit, {}));
}

bool Withdrawing::put(const Key& key, Withdrawn one, const live::PatchResult& result) {
  using live::PatchOutcome;
  const bool moved_on = result.outcome == PatchOutcome::kBound || result.outcome == PatchOutcome::kGone ||
                        result.outcome == PatchOutcome::kOverruled;
  one.result = result.done() ? WithdrawResult::kCleared
               : moved_on    ? WithdrawResult::kLeft
                             : WithdrawResult::kFailed;
  if (!result.done()) one.why = result.error;
  if (result.outcome == PatchOutcome::kDenied) denied_.emplace(key.second, result.error);
  // One that has another nomination meanwhile is looked at again.
  const bool again = result.done() || result.outcome == PatchOutcome::kOverruled;
  done_.insert_or_assign(key, std::move(one));
  return again && !options_.dry_run;
}

/// By the cluster's clock, as far as it tells it.
WallTime cluster_now(const AskServer& ask) {
  constexpr std::string_view kReview =
      R"({"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"})";
  const auto answer = ask({.method = "POST",
                           .path = "/apis/authentication.k8s.io/v1/selfsubjectreviews",
                           .body = std::string(kReview)});
  if (answer && answer->status / 100 == 2)
    if (const auto who = read_who_am_i(answer->body); who && who->now) return *who->now;
  return std::chrono::system_clock::now();
}

}  // namespace

std::string_view to_string(WithdrawResult result) {
  constexpr std::string_view kTexts[kWithdrawResults] = {"cleared", "left", "failed"};
  return kTexts[static_cast<std::size_t>(result)];
}

std::size_t WithdrawReport::count(WithdrawResult result) const {
  return static_cast<std::size_t>(std::ranges::count(all, result, &Withdrawn::result));
}

std::expected<WithdrawReport, std::string> withdraw_from_pods(const AskServer& ask, live::PodPatcher& patcher,
                                                              live::Clock& clock,
                                                              const WithdrawOptions& options) {
  return Withdrawing(ask, patcher, clock, options).run();
}

std::expected<HeldLeases, std::string> await_no_nominator(const AskServer& ask, live::Clock& clock,
                                                          const LeaseName& lease,
                                                          std::chrono::milliseconds longest) {
  const live::Clock::Time end = clock.now() + longest;
  while (true) {
    auto held = find_held_leases(ask, lease, cluster_now(ask));
    if (held && held->leases.empty()) return held;
    if (clock.now() + kLookAgain > end) return held;
    clock.sleep(kLookAgain, {});
  }
}

// What a withdrawal prints.

namespace {

std::string line_of(const Withdrawn& one, const WithdrawOptions& options) {
  const bool cleared = one.result == WithdrawResult::kCleared;
  const std::string_view word = cleared && options.dry_run ? "would clear" : to_string(one.result);
  std::string text = std::format("{:<{}}{}: ", word, options.dry_run ? 13 : 9, one.pod);
  text += one.node.empty() ? "the gate " + options.gate : "the nomination for " + one.node;
  return text + (one.why.empty() ? "" : ": " + one.why);
}

}  // namespace

std::string report_text(const WithdrawReport& report) {
  std::string text;
  for (const Withdrawn& one : report.all) text += printable(line_of(one, report.options)) + '\n';
  if (!report.unseen.empty()) text += printable(report.unseen) + '\n';
  return text + std::format("{} {}, {} left, {} failed\n", report.count(WithdrawResult::kCleared),
                            report.options.dry_run ? "would be cleared" : "cleared",
                            report.count(WithdrawResult::kLeft), report.count(WithdrawResult::kFailed));
}

std::string report_json(const WithdrawReport& report) {
  std::string text = std::format(R"({{"dryRun":{},"cleared":{},"left":{},"failed":{})",
                                 report.options.dry_run, report.count(WithdrawResult::kCleared),
                                 report.count(WithdrawResult::kLeft), report.count(WithdrawResult::kFailed));
  const auto member = [&text](std::string_view key, const std::string& value) {
    text.append(",\"").append(key).append("\":");
    append_quoted(text, printable(value));
  };
  if (!report.unseen.empty()) member("unseen", report.unseen);
  text += R"(,"pods":[)";
  bool first = true;
  for (const Withdrawn& one : report.all) {
    text += first ? R"({"pod":)" : R"(,{"pod":)";
    append_quoted(text, one.pod);
    if (one.node.empty())
      member("gate", report.options.gate);
    else
      member("nomination", one.node);
    member("result", std::string(to_string(one.result)));
    if (!one.why.empty()) member("why", one.why);
    text += '}';
    first = false;
  }
  return text + "]}\n";
}

}  // namespace winnow
