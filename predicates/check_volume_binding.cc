// CheckVolumeBinding: the volumes of the pod's bound claims can be used on the node, and each claim that
// waits for its first consumer finds a volume there, or can be given a new one. Claims are served smallest
// first, and a volume that one takes is gone for the next; a claim that was promised to a node
// (selected-node) fits that node alone. Claims of equal size keep the pod's order. Upstream:
// pkg/controller/volume/scheduling/scheduler_binder.go FindPodVolumes v1.16.15.
#include <algorithm>
#include <format>

#include "predicates/pod_claims.h"
#include "predicates/volume_candidates.h"

namespace winnow::predicates {

BindPredicate check_volume_binding;

namespace {

using Claims = std::vector<const PersistentVolumeClaim*>;

const std::string* selected_node(const PersistentVolumeClaim& claim) {
  const auto it = claim.metadata.annotations.find("volume.kubernetes.io/selected-node");
  return it == claim.metadata.annotations.end() ? nullptr : &it->second;
}

/// Where a claim's class can make a volume for it.
class Provisioning {
 public:
  Provisioning(const View& view, const PersistentVolumeClaim& claim) {
    const StorageClass& made_by = *view.volumes().storage_class(class_of(claim));
    possible_ = !made_by.provisioner.empty() && made_by.provisioner != "kubernetes.io/no-provisioner";
    anywhere_ = made_by.allowed_topologies.empty();
    for (const std::vector<SelectorRequirement>& term : made_by.allowed_topologies)
      topologies_.emplace_back(view, NodeSelectorTerm{term, {}});
  }
  bool possible(NodeId node) const {
    return possible_ && (anywhere_ || std::ranges::any_of(topologies_, [node](const NodeMatcher& term) {
                           return term.matches(node);
                         }));
  }

 private:
  bool possible_ = false;
  bool anywhere_ = false;
  std::vector<NodeMatcher> topologies_;
};

/// A claim to find a volume for, or else to make one.
struct Unbound {
  VolumeCandidates candidates;
  Provisioning provisioning;
};

class CheckVolumeBinding final : public Predicate {
 public:
  CheckVolumeBinding(const View& view, const PodClaims& claims) {
    add_bound(view, claims.bound);
    Claims others;
    for (const PersistentVolumeClaim* claim : claims.delayed) {
      if (const std::string* node = selected_node(*claim))
        promise(view, *claim, *node);
      else
        others.push_back(claim);
    }
    std::ranges::stable_sort(others, {}, [](const PersistentVolumeClaim* claim) {
      const auto it = claim->requests.find("storage");
      return it == claim->requests.end() ? Quantity() : it->second;
    });
    for (const PersistentVolumeClaim* claim : others)
      if (!add_unbound(view, *claim)) break;
  }

  bool has_nothing_to_say() const {
    return bound_.empty() && unbound_.empty() && promised_.empty() && reasons_[kBoundError].empty() &&
           reasons_[kSelectorError].empty();
  }

  void map(std::span<const NodeId> nodes, std::span<Verdict> out) const override {
    for (std::size_t i = 0; i < nodes.size(); ++i) out[i] = judge(nodes[i]);
  }
  std::span<const std::string> reasons() const override { return reasons_; }

 private:
  enum Reason : unsigned { kAffinity, kNoVolume, kBoundError, kSelectorError };
  static Verdict error(Reason reason) { return Verdict::of(Fit::kError, 1u << reason); }

  /// Upstream stops at a claim whose volume is gone, unless a volume before it does not suit the node.
  void add_bound(const View& view, const Claims& claims) {
    for (const PersistentVolumeClaim* claim : claims) {
      const PersistentVolume* volume = view.volumes().volume(claim->volume_name);
      if (!volume) {
        reasons_[kBoundError] = std::format("could not find v1.PersistentVolume \"{}\"", claim->volume_name);
        return;
      }
      VolumeAffinity affinity(view, volume->node_affinity);
      if (!affinity.is_everywhere()) bound_.push_back(std::move(affinity));
    }
  }

  void promise(const View& view, const PersistentVolumeClaim& claim, const std::string& node) {
    const NodeId id = view.find_node(node);
    selected_ = promised_.empty() || selected_ == id ? id : kNone;
    promised_.emplace_back(view, claim);
  }

  /// @return whether upstream would go on to the next claim.
  bool add_unbound(const View& view, const PersistentVolumeClaim& claim) {
    std::optional<Selector> selector;
    if (claim.selector) {
      std::expected<Selector, std::string> parsed = parse_label_selector(*claim.selector);
      if (!parsed) {
        reasons_[kSelectorError] =
            std::format("error creating internal label selector for claim: {}/{}: {}",
                        claim.metadata.namespace_, claim.metadata.name, parsed.error());
        return false;
      }
      selector = std::move(*parsed);
    }
    unbound_.push_back({VolumeCandidates(view, claim, selector), Provisioning(view, claim)});
    return true;
  }

  Verdict judge(NodeId node) const {
    const bool suits =
        std::ranges::all_of(bound_, [node](const VolumeAffinity& one) { return one.matches(node); });
    if (suits && !reasons_[kBoundError].empty()) return error(kBoundError);
    const bool is_promised_elsewhere = !promised_.empty() && node != selected_;
    if (!is_promised_elsewhere && !reasons_[kSelectorError].empty()) return error(kSelectorError);
    const bool served = !is_promised_elsewhere && serves(node);
    if (suits && served) return Verdict();
    return Verdict::of(Fit::kUnresolvable, (suits ? 0u : 1u << kAffinity) | (served ? 0u : 1u << kNoVolume));
  }

  bool serves(NodeId node) const {
    for (const Provisioning& one : promised_)
      if (!one.possible(node)) return false;
    std::vector<const PersistentVolume*> taken;
    for (const Unbound& claim : unbound_) {
      if (const PersistentVolume* volume = claim.candidates.match(node, taken)) {
        if (&claim != &unbound_.back()) taken.push_back(volume);
      } else if (!claim.provisioning.possible(node)) {
        return false;
      }
    }
    return true;
  }

  std::vector<VolumeAffinity> bound_;
  std::vector<Provisioning> promised_;
  NodeId selected_ = kNone;  // The only node that promised claims can be on.
  std::vector<Unbound> unbound_;
  std::array<std::string, 4> reasons_ = {"node(s) had volume node affinity conflict",
                                         "node(s) didn't find available persistent volumes to bind", "", ""};
};

}  // namespace

std::unique_ptr<const Predicate> check_volume_binding(const Request& request, const Arguments&) {
  const std::expected<PodClaims, std::string> claims = claims_of(request.view, request.pod);
  if (!claims) return std::make_unique<ErrorEverywhere>(claims.error());
  if (claims->unbound_immediate)
    return std::make_unique<ErrorEverywhere>("pod has unbound immediate PersistentVolumeClaims");
  auto rule = std::make_unique<CheckVolumeBinding>(request.view, *claims);
  if (rule->has_nothing_to_say()) return nullptr;
  return rule;
}

}  // namespace winnow::predicates
