// CheckVolumeBinding: the node can use the volumes of the pod's bound claims. Each claim that waits for its
// first consumer finds a volume there, or can be given a new one (see DelayedClaims).
// Upstream: pkg/controller/volume/scheduling/scheduler_binder.go FindPodVolumes v1.16.15.
#include <algorithm>
#include <format>
#include <set>

#include "cluster/rule/volumes/delayed_claims.h"
#include "cluster/rule/volumes/pod_claims.h"
#include "cluster/text/go_quote.h"
#include "predicates/rules.h"

namespace winnow::predicates {

BindPredicate check_volume_binding;

namespace {

class CheckVolumeBinding final : public Predicate {
 public:
  CheckVolumeBinding(const View& view, const PodClaims& claims, const Budget* budget)
      : budget_(budget), delayed_(view, claims.delayed, Generation::kClassic) {
    add_bound(view, claims.bound);
    reasons_[kSelectorError] = delayed_.error();
  }

  bool has_nothing_to_say() const {
    return bound_.empty() && delayed_.empty() && reasons_[kBoundError].empty();
  }

  void map(std::span<const NodeId> nodes, std::span<Verdict> out) const override {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (budget_ && !delayed_.empty()) budget_->check();
      out[i] = judge(nodes[i]);
    }
  }
  std::span<const std::string> reasons() const override { return reasons_; }

 private:
  enum Reason : unsigned { kAffinity, kNoVolume, kBoundError, kSelectorError };
  static Verdict error(Reason reason) { return Verdict::of(Fit::kError, 1u << reason); }

  /// Stops at the first claim whose volume does not exist. Upstream gives that error only on nodes that suit
  /// the volumes before it.
  void add_bound(const View& view, const std::vector<const PersistentVolumeClaim*>& claims) {
    std::set<const PersistentVolume*> seen;  // A pod may mount one claim many times.
    for (const PersistentVolumeClaim* claim : claims) {
      const PersistentVolume* volume = view.volumes().volume(claim->volume_name);
      if (!volume) {
        reasons_[kBoundError] =
            std::format("could not find v1.PersistentVolume {}", go_quote(claim->volume_name));
        return;
      }
      if (!seen.insert(volume).second) continue;
      VolumeAffinity affinity(view, volume->node_affinity, Generation::kClassic);
      if (!affinity.is_everywhere()) bound_.push_back(std::move(affinity));
    }
  }

  Verdict judge(NodeId node) const {
    const bool suits =
        std::ranges::all_of(bound_, [node](const VolumeAffinity& one) { return one.matches(node); });
    if (suits && !reasons_[kBoundError].empty()) return error(kBoundError);
    const bool are_promised_elsewhere = delayed_.are_promised_elsewhere(node);
    if (!are_promised_elsewhere && !delayed_.error().empty()) return error(kSelectorError);
    const bool served = !are_promised_elsewhere && delayed_.serve(node) == Served::kYes;
    if (suits && served) return Verdict();
    return Verdict::of(Fit::kUnresolvable, (suits ? 0u : 1u << kAffinity) | (served ? 0u : 1u << kNoVolume));
  }

  const Budget* const budget_;
  std::vector<VolumeAffinity> bound_;
  const DelayedClaims delayed_;
  std::array<std::string, 4> reasons_ = {"node(s) had volume node affinity conflict",
                                         "node(s) didn't find available persistent volumes to bind", "", ""};
};

}  // namespace

std::unique_ptr<const Predicate> check_volume_binding(const Request& request, const Arguments&) {
  const std::expected<PodClaims, std::string> claims =
      claims_of(request.view, request.pod, Generation::kClassic);
  if (!claims) return std::make_unique<ErrorEverywhere>(claims.error());
  if (claims->unbound_immediate)
    return std::make_unique<ErrorEverywhere>("pod has unbound immediate PersistentVolumeClaims");
  auto rule = std::make_unique<CheckVolumeBinding>(request.view, *claims, request.budget);
  if (rule->has_nothing_to_say()) return nullptr;
  return rule;
}

}  // namespace winnow::predicates
