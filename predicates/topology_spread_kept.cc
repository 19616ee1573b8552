// A row that has changed leaves its old domain and joins its new one. A constraint's limit goes by the fewest
// pods of a domain: a count of the domains by their pods finds it without a look at all of them.
#include "predicates/topology_spread_kept.h"

#include <map>
#include <utility>

#include "cluster/api/pod.h"
#include "cluster/memory_budget.h"
#include "cluster/rule/domain_counts.h"
#include "cluster/state/state.h"

namespace winnow::predicates::today {
namespace {

/// More constraints are worked out anew each time.
constexpr std::size_t kMostKept = 4;

/// @param pods  null: there are none.
PodsLookup lookup(const View& view, const CountsByNode* pods, std::size_t looks) {
  return {pods ? pods->entries() : std::span<const PodsOnNode>(), view.capacity(), looks};
}

/// One constraint as a limit on a node's domain.
class KeptLimit {
 public:
  std::uint32_t domain_of(NodeId node) const { return counts_.domain_of(node); }
  bool exceeds(std::uint32_t domain) const { return over_[domain]; }

  void set(NodeId row, Symbol value, DomainCounts::Part part) {
    const auto [before, now] = counts_.set(row, value, part);
    for (const std::uint32_t domain : {before, now})
      if (domain != kNone) touch(domain);
  }
  /// To be called when the rows are set.
  void find_limit(const TopologyConstraint& constraint, const ObjectMeta& pod, MovedNodes& moved) {
    const std::int64_t fewest = by_pods_.empty() ? kNoDomain : by_pods_.begin()->first;
    const std::int64_t most = most_pods(constraint, pod, counting_, fewest);
    if (std::exchange(most_, most) == most) {
      for (const std::uint32_t domain : touched_) mark(domain, moved);
    } else {
      for (std::uint32_t domain = 0; domain < counts_.domains().size(); ++domain) mark(domain, moved);
    }
    touched_.clear();
  }
  std::size_t bytes() const {
    constexpr std::size_t kOfEntry = 64;  // Of a map, roughly.
    return counts_.bytes() + over_.bytes() + pods_.capacity() * sizeof(std::int64_t) +
           by_pods_.size() * kOfEntry + touched_.capacity() * sizeof(std::uint32_t);
  }

 private:
  static constexpr std::int64_t kDoesNotCount = -1;

  /// Brings the number of domains by their pods up to date.
  void touch(std::uint32_t domain) {
    if (domain >= pods_.size()) pods_.resize(counts_.domains().size(), kDoesNotCount);
    const DomainCounts::Domain& now = counts_[domain];
    const std::int64_t pods = now.counting != 0 ? now.sum : kDoesNotCount;
    touched_.push_back(domain);
    const std::int64_t before = std::exchange(pods_[domain], pods);
    if (before == pods) return;
    if (before != kDoesNotCount) {
      --counting_;
      if (const auto it = by_pods_.find(before); --it->second == 0) by_pods_.erase(it);
    }
    if (pods == kDoesNotCount) return;
    ++counting_;
    ++by_pods_[pods];
  }
  void mark(std::uint32_t domain, MovedNodes& moved) {
    over_.set(counts_, domain, counts_[domain].sum > most_, moved);
  }

  DomainCounts counts_;
  std::vector<std::int64_t> pods_;               ///< By domain; kDoesNotCount.
  std::map<std::int64_t, std::size_t> by_pods_;  ///< The number of counting domains with so many pods.
  std::size_t counting_ = 0;
  std::vector<std::uint32_t> touched_;
  std::int64_t most_ = std::numeric_limits<std::int64_t>::max();  ///< Pods that a domain may have.
  DomainMarks over_;
};

class KeptSpread final : public KeptState {
 public:
  explicit KeptSpread(const std::vector<TopologyConstraint>& constraints)
      : constraints_(constraints), limits_(constraints.size()) {}

  /// @return false: the pods of a constraint are not counted by the state.
  bool follow(const Request& request, std::span<const NodeId> rows) {
    moved_.clear();
    std::vector<const CountsByNode*> pods;
    for (const TopologyConstraint& constraint : constraints_) {
      const PodQuery query = constraint.counted(request.pod.metadata.namespace_);
      pods.push_back(request.view.state().groups.find(query));
      if (!pods.back() && !query.selector.is_nothing()) return false;
    }
    if (rows.empty()) return true;
    const CountedNodes counted(request, constraints_);
    for (std::size_t i = 0; i < limits_.size(); ++i) {
      request.check_time();
      const TopologyConstraint& constraint = constraints_[i];
      const Column<Symbol> label = request.view.label(constraint.topology_key);
      const PodsLookup here = lookup(request.view, pods[i], rows.size());
      for (const NodeId row : rows) {
        const bool counts = counted.has_keys(row) && counted.follows(constraint, row);
        limits_[i].set(row, label[row], {counts ? here[row] : 0, counts});
      }
      limits_[i].find_limit(constraint, request.pod.metadata, moved_);
    }
    return true;
  }
  void move_all() { moved_.add_all(); }

  std::span<const KeptLimit> limits() const { return limits_; }
  const std::vector<NodeId>* moved() const { return moved_.nodes(); }
  std::size_t bytes() const override {
    std::size_t bytes = 0;
    for (const TopologyConstraint& constraint : constraints_) bytes += bytes_of(constraint.selector);
    for (const KeptLimit& limit : limits_) bytes += limit.bytes();
    return bytes;
  }

 private:
  std::vector<TopologyConstraint> constraints_;
  std::vector<KeptLimit> limits_;  ///< One for each.
  MovedNodes moved_;
};

class SpreadByKept final : public Predicate {
 public:
  explicit SpreadByKept(std::shared_ptr<const KeptSpread> kept) : kept_(std::move(kept)) {}

  void map(std::span<const NodeId> nodes, std::span<Verdict> out) const override {
    const std::span<const KeptLimit> limits = kept_->limits();
    for (std::size_t i = 0; i < nodes.size(); ++i)
      for (const KeptLimit& limit : limits) {  // The first that refuses the node gives the reason.
        const std::uint32_t domain = limit.domain_of(nodes[i]);
        if (domain != kNone && !limit.exceeds(domain)) continue;
        out[i] = domain == kNone ? kLacksKey : kExceedsSkew;
        break;
      }
  }
  std::span<const std::string> reasons() const override { return kSpreadReasons; }
  const std::vector<NodeId>* moved() const override { return kept_->moved(); }

 private:
  const std::shared_ptr<const KeptSpread> kept_;
};

}  // namespace

std::unique_ptr<const Predicate> spread_by_kept(const Request& request) {
  const MemoryScope outlives_the_request(nullptr);
  auto kept = std::static_pointer_cast<KeptSpread>(std::exchange(request.kept->state, nullptr));
  if (!kept || !kept->follow(request, request.kept->changed)) return nullptr;
  request.kept->state = kept;
  return std::make_unique<SpreadByKept>(std::move(kept));
}

std::unique_ptr<const Predicate> spread_to_keep(const Request& request,
                                                const std::vector<TopologyConstraint>& constraints) {
  if (constraints.size() > kMostKept) return nullptr;
  const MemoryScope outlives_the_request(nullptr);
  auto kept = std::make_shared<KeptSpread>(constraints);
  if (!kept->follow(request, request.view.all_nodes())) return nullptr;
  kept->move_all();
  request.kept->state = kept;
  return std::make_unique<SpreadByKept>(std::move(kept));
}

}  // namespace winnow::predicates::today
