#include "extender/explain/pending_summary.h"

#include <algorithm>
#include <format>
#include <string_view>
#include <utility>

#include "cluster/text/words.h"
#include "extender/explain/explanation_text.h"

namespace winnow {
namespace {

/// More causes are not told: the first ones are those of the first rules.
constexpr std::size_t kMostCauses = 3;

/// What is said of one pod, and of more.
struct Words {
  std::string of_one, of_many;
};

struct KindWords {
  std::string_view kind, of_one, of_many;
};

Words words_of(const Cause& cause) {
  constexpr KindWords kWords[] = {
      {"taint", "meets a taint that it does not tolerate", "meet a taint that they do not tolerate"},
      {"unschedulable", "meets cordoned nodes", "meet cordoned nodes"},
      {"condition", "meets nodes that are not ready, or under pressure",
       "meet nodes that are not ready, or under pressure"},
      {"nodeName", "names another node", "name another node"},
      {"feature", "needs a feature that nodes do not declare", "need a feature that nodes do not declare"},
      {"label", "asks for labels that nodes lack", "ask for labels that nodes lack"},
      {"field", "asks for other nodes by name", "ask for other nodes by name"},
      {"term", "has a node affinity that matches nothing", "have a node affinity that matches nothing"},
      {"port", "wants a host port that is taken", "want a host port that is taken"},
      {"spreadLabel", "spreads over a label that nodes lack", "spread over a label that nodes lack"},
      {"spread", "would make its spread too uneven", "would make their spread too uneven"},
      {"affinity", "finds no pod to be near to", "find no pod to be near to"},
      {"anti-affinity", "is kept apart from pods that are there", "are kept apart from pods that are there"},
      {"disk", "mounts a disk that is in use", "mount a disk that is in use"},
      {"claimInUse", "mounts a claim for one pod alone", "mount a claim for one pod alone"},
      {"attachLimit", "exceeds a limit of attached volumes", "exceed a limit of attached volumes"},
      {"expression", "fails a rule of your own", "fail a rule of your own"},
      {"driver", "needs a CSI driver that nodes lack", "need a CSI driver that nodes lack"},
      {"volumeLabel", "has a volume that is elsewhere", "have a volume that is elsewhere"},
      {"volumeAffinity", "has a volume that is elsewhere", "have a volume that is elsewhere"},
      {"volumeMissing", "has a claim whose volume is gone", "have a claim whose volume is gone"},
      {"noVolume", "finds no volume", "find no volume"},
      {"claim", "waits for a claim", "wait for a claim"},
      {"devices", "finds no device for a claim", "find no device for a claim"},
      {"device", "finds no device for a claim", "find no device for a claim"},
      {"pool", "meets a pool of devices that is not whole", "meet a pool of devices that is not whole"},
      {"claimElsewhere", "has a claim whose devices are elsewhere",
       "have a claim whose devices are elsewhere"},
      {"nominated", "waits for room that is kept for others", "wait for room that is kept for others"},
  };
  if (cause.kind == "resource") {
    const std::string what = cause.text("resource") == "pods" ? "room for pods" : cause.text("resource");
    return {"lacks " + what, "lack " + what};
  }
  const auto found = std::ranges::find(kWords, cause.kind, &KindWords::kind);
  if (found == std::end(kWords)) return {"is refused", "are refused"};
  return {std::string(found->of_one), std::string(found->of_many)};
}

/// What is alike of causes on several nodes.
Cause alike(const Cause& cause) {
  Cause kept{cause.kind};
  for (const char* const name : {"resource", "wanted"})
    if (cause.kind == "resource" && cause.has(name)) kept.with(name, cause.text(name));
  return kept;
}

std::vector<Obstacle> obstacles_on(const NodeExplanation& node) {
  std::vector<Obstacle> found;
  for (const FilterEntry* const entry : refusals_of(node))
    for (const Cause& cause : entry->causes) {
      Obstacle one{entry->rule, alike(cause)};
      if (found.size() < kMostCauses && !std::ranges::contains(found, one)) found.push_back(std::move(one));
    }
  return found;
}

/// The words of all obstacles, each once, with "and" between, and their rules behind.
Words words_of(const KeptOut& kept_out) {
  std::vector<std::string> of_one, of_many, rules;
  for (const Obstacle& one : kept_out.obstacles) {
    Words words = words_of(one.cause);
    if (std::ranges::contains(of_one, words.of_one)) continue;  // One rule that says it is enough.
    of_one.push_back(std::move(words.of_one));
    of_many.push_back(std::move(words.of_many));
    if (!std::ranges::contains(rules, one.rule)) rules.push_back(one.rule);
  }
  const std::string behind = std::format(" ({})", joined(rules));
  return {joined(of_one, ", and ") + behind, joined(of_many, ", and ") + behind};
}

}  // namespace

std::optional<KeptOut> kept_out(const Explanation& explanation) {
  if (explanation.error || explanation.feasible > 0 || explanation.nodes.empty()) return std::nullopt;
  std::optional<Distance> least;
  std::vector<const NodeExplanation*> nearest;
  for (const NodeExplanation& node : explanation.nodes) {
    const Distance distance = distance_of(node);
    if (least && *least < distance) continue;
    if (!least || distance < *least) nearest.clear();
    least = distance;
    nearest.push_back(&node);
  }
  std::vector<KeptOut> found;
  for (const NodeExplanation* const node : nearest) {
    std::vector<Obstacle> obstacles = obstacles_on(*node);
    if (obstacles.empty()) continue;
    const auto known = std::ranges::find(found, obstacles, &KeptOut::obstacles);
    if (known != found.end())
      ++known->nodes;
    else
      found.push_back({std::move(obstacles), 1});
  }
  if (found.empty()) return std::nullopt;
  return *std::ranges::max_element(found, {}, &KeptOut::nodes);
}

std::string to_text(const KeptOut& kept_out) { return words_of(kept_out).of_one; }

PendingSummary::Sum& PendingSummary::sum_for(const std::string& of_one, const std::string& of_many) {
  Sum& sum = sums_[of_many];
  sum.of_one = of_one;
  sum.of_many = of_many;
  ++sum.pods;
  return sum;
}

void PendingSummary::add(const Explanation& explanation) {
  ++pods_;
  if (!explanation.gates.empty()) {
    sum_for("waits for a scheduling gate", "wait for a scheduling gate");
  } else if (explanation.error) {
    sum_for("cannot be placed for an error", "cannot be placed for an error");
  } else if (explanation.feasible > 0) {
    sum_for("fits somewhere", "fit somewhere");
  } else if (const auto found = explanation.kept_out ? explanation.kept_out : kept_out(explanation)) {
    const Words words = words_of(*found);
    Sum& sum = sum_for(words.of_one, words.of_many);
    for (const Obstacle& one : found->obstacles)
      if (one.cause.kind == "resource" && one.cause.text("resource") != "pods")
        sum.wanted[one.cause.text("resource")] +=
            Quantity::parse(one.cause.text("wanted")).value_or(Quantity());
  } else {
    sum_for("is refused", "are refused");
  }
}

std::vector<PendingSum> PendingSummary::sums() const {
  std::vector<PendingSum> all;
  for (const auto& [key, sum] : sums_) {
    std::string line = std::format("{} of {} pending pods {}", with_thousands(sum.pods),
                                   with_thousands(pods_), sum.pods == 1 ? sum.of_one : sum.of_many);
    std::vector<std::string> amounts;
    for (const auto& [resource, wanted] : sum.wanted)
      amounts.push_back(quantity_text(wanted) + ' ' + resource);
    if (!amounts.empty())
      line += (sum.pods == 1 ? "; it asks for " : "; together they ask for ") + joined_and(amounts);
    all.push_back({sum.pods, std::move(line)});
  }
  std::ranges::stable_sort(all, std::ranges::greater(), &PendingSum::pods);
  return all;
}

}  // namespace winnow
