// A row that has changed leaves its old domain and joins its new one. The sums of the domains are then turned
// into the constraints' parts of a raw score, one for each domain.
#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>

#include "cluster/api/pod.h"
#include "cluster/memory_budget.h"
#include "cluster/rule/domain_counts.h"
#include "cluster/rule/row_groups.h"
#include "cluster/state/state.h"
#include "priorities/topology_spread.h"

namespace winnow::priorities::today {
namespace {

/// More constraints are worked out anew each time.
constexpr std::size_t kMostKept = RowGroups::kParts;
/// So many nodes' parts are added up at once.
constexpr std::size_t kNodesAtOnce = 256;

/// @param pods  null: there are none.
PodsLookup lookup(const View& view, const CountsByNode* pods, std::size_t looks) {
  return {pods ? pods->entries() : std::span<const PodsOnNode>(), view.capacity(), looks};
}

/// The part of one constraint in nodes' raw scores.
class KeptPart {
 public:
  explicit KeptPart(const TopologyConstraint& constraint)
      : by_hostname_(constraint.topology_key == kHostname),
        skew_(static_cast<double>(constraint.max_skew - 1)) {}

  /// @param pods  of the node. @param counts  whether they count in its domain.
  void set(NodeId row, Symbol value, std::int32_t pods, bool counts) {
    if (by_hostname_) {
      if (row >= own_.size()) own_.resize(row + 1, 0);
      own_[row] = pods;
    }
    const std::int64_t counted = counts ? pods : 0;
    const auto [before, now] = counts_.set(row, value, {counted, counted != 0});
    for (const std::uint32_t domain : {before, now})
      if (domain != kNone) touched_.push_back(domain);
  }

  /// Weighs the domains of the scored nodes, and works out each domain's part.
  /// @param is_left_out  null: no node is. @param unlabelled  nodes that lack the key are a domain, too.
  template <class IsLeftOut>
  void weigh(std::span<const NodeId> scored, const IsLeftOut* is_left_out, bool unlabelled,
             MovedNodes& moved) {
    const std::size_t size = by_hostname_  ? count(scored, is_left_out)
                             : is_left_out ? domains_of(scored, *is_left_out, unlabelled)
                                           : domains_of(scored, [](NodeId) { return false; }, unlabelled);
    if (std::exchange(size_, size) != size) {
      weight_ = go_log(static_cast<double>(size + 2));
      moved.add_all();
      touched_.resize(by_hostname_ ? 0 : counts_.domains().size());
      std::iota(touched_.begin(), touched_.end(), std::uint32_t{0});
    }
    if (by_hostname_) return touched_.clear();
    parts_.resize(counts_.domains().size(), -1);
    raw_.resize(parts_.size(), 0);
    for (const std::uint32_t domain : touched_) {
      const double part = part_of(counts_[domain].sum);
      if (std::exchange(parts_[domain], part) == part) continue;
      raw_[domain] = rounded(part);
      moved.add(counts_[domain]);
    }
    touched_.clear();
  }

  /// The number of nodes that have the key.
  std::size_t labelled() const {
    std::size_t rows = 0;
    for (const DomainCounts::Domain& domain : counts_.domains()) rows += domain.rows;
    return rows;
  }
  /// Adds the parts of those nodes that have the key.
  void add_to(std::span<double> sums, std::span<const NodeId> nodes) const {
    const std::span<const std::uint32_t> domains = counts_.row_domains();
    const auto add = [&](const auto& part) {
      for (std::size_t i = 0; i < nodes.size(); ++i)
        if (nodes[i] < domains.size() && domains[nodes[i]] != kNone) sums[i] += part(nodes[i]);
    };
    if (by_hostname_)
      add([this, own = std::span(own_)](NodeId node) { return part_of(own[node]); });
    else
      add([domains, parts = std::span(parts_)](NodeId node) { return parts[domains[node]]; });
  }
  bool by_domain() const { return !by_hostname_; }
  bool has_few_domains() const {
    return by_hostname_ || counts_.in_use() * NodeGroups::kFewestNodes <= counts_.row_domains().size();
  }
  /// What the part goes by: nodes with the same number have the same. kNone: the node lacks the key.
  std::uint32_t goes_by(NodeId row) const {
    const std::uint32_t domain = counts_.domain_of(row);
    return by_hostname_ && domain != kNone ? static_cast<std::uint32_t>(own_[row]) : domain;
  }
  /// @param number  of goes_by(), not kNone.
  double part_by(std::uint32_t number) const { return by_hostname_ ? part_of(number) : parts_[number]; }
  /// Writes the nodes' raw scores, if this is the only part, and is by domain. Those without the key keep
  /// theirs.
  void map_alone(std::span<const NodeId> nodes, std::span<std::int64_t> out) const {
    const std::span<const std::uint32_t> domains = counts_.row_domains();
    const std::span<const std::int64_t> raw = raw_;
    for (std::size_t i = 0; i < nodes.size(); ++i)
      if (nodes[i] < domains.size() && domains[nodes[i]] != kNone) out[i] = raw[domains[nodes[i]]];
  }
  std::size_t bytes() const {
    return counts_.bytes() + own_.capacity() * sizeof(std::int32_t) + parts_.capacity() * sizeof(double) +
           touched_.capacity() * sizeof(std::uint32_t) + seen_.capacity();
  }

 private:
  double part_of(std::int64_t pods) const { return static_cast<double>(pods) * weight_ + skew_; }

  template <class IsLeftOut>
  static std::size_t count(std::span<const NodeId> scored, const IsLeftOut* is_left_out) {
    if (!is_left_out) return scored.size();
    return static_cast<std::size_t>(std::ranges::count_if(scored, std::not_fn(*is_left_out)));
  }
  template <class IsLeftOut>
  std::size_t domains_of(std::span<const NodeId> scored, const IsLeftOut& is_left_out, bool unlabelled) {
    seen_.assign(counts_.domains().size() + 1, 0);
    const std::size_t all = counts_.in_use() + (unlabelled ? 1 : 0);
    std::size_t size = 0;
    for (auto node = scored.begin(); node != scored.end() && size < all; ++node) {
      const std::uint32_t domain = counts_.domain_of(*node);
      std::uint8_t& seen = seen_[domain == kNone ? seen_.size() - 1 : domain];
      if (seen != 0 || is_left_out(*node)) continue;
      seen = 1;
      ++size;
    }
    return size;
  }

  bool by_hostname_;  ///< Each node is a domain.
  double skew_;
  DomainCounts counts_;
  std::vector<std::int32_t> own_;  ///< By row: the node's pods.
  std::vector<double> parts_;      ///< By domain.
  std::vector<std::int64_t> raw_;  ///< The same, rounded.
  std::size_t size_ = ~std::size_t{0};
  double weight_ = 0;
  std::vector<std::uint32_t> touched_;
  std::vector<std::uint8_t> seen_;
};

class KeptScores final : public KeptState {
 public:
  KeptScores(const std::vector<TopologyConstraint>& constraints, bool leaves_out)
      : constraints_(constraints), leaves_out_(leaves_out) {
    for (const TopologyConstraint& one : constraints_) parts_.emplace_back(one);
  }

  /// @return false: it cannot be kept, or not yet.
  bool follow(const Request& request, std::span<const NodeId> rows) {
    moved_.clear();
    const View& view = request.view;
    std::vector<const CountsByNode*> pods;
    for (const TopologyConstraint& constraint : constraints_) {
      const PodQuery query = constraint.counted(request.pod.metadata.namespace_);
      pods.push_back(view.state().groups.find(query));
      if (!pods.back() && !query.selector.is_nothing()) return false;
      // Nodes without the key are then in the domain of an empty value.
      if (!leaves_out_ && view.domains(constraint.topology_key).of_empty_value() != kNone) return false;
    }
    if (!rows.empty()) set(request, pods, rows);
    const auto is_left_out = [this](NodeId node) { return this->is_left_out(node); };
    for (KeptPart& part : parts_)
      part.weigh(request.nodes, leaves_any_out() ? &is_left_out : nullptr,
                 /*unlabelled=*/!leaves_out_ && part.by_domain() && part.labelled() < view.node_count(),
                 moved_);
    group(request.view, rows);
    return true;
  }
  void move_all() { moved_.add_all(); }

  bool is_left_out(NodeId node) const { return left_out_rows_ != 0 && left_out_[node] != 0; }
  bool leaves_any_out() const { return left_out_rows_ != 0; }
  std::span<const KeptPart> parts() const { return parts_; }
  /// Null: there are several.
  const KeptPart* only_part() const { return parts_.size() == 1 ? parts_.data() : nullptr; }
  const std::vector<NodeId>* moved() const { return moved_.nodes(); }

  std::optional<NodeGroups> groups() const {
    return groups_ ? std::optional(groups_->groups()) : std::nullopt;
  }
  bool is_group_left_out(std::uint32_t group) const { return groups_->key(group) == kLeftOut; }
  /// @param group  one that is not left out.
  std::int64_t raw_of_group(std::uint32_t group) const {
    const RowGroups::Key& key = groups_->key(group);
    double sum = 0;  // In the order of add_to().
    for (std::size_t i = 0; i < parts_.size(); ++i)
      if (key[i] != kNone) sum += parts_[i].part_by(key[i]);
    return rounded(sum);
  }

  std::size_t bytes() const override {
    std::size_t bytes = left_out_.capacity() + (groups_ ? groups_->bytes() : 0);
    for (const TopologyConstraint& constraint : constraints_) bytes += bytes_of(constraint.selector);
    for (const KeptPart& part : parts_) bytes += part.bytes();
    return bytes;
  }

 private:
  void set(const Request& request, std::span<const CountsByNode* const> pods, std::span<const NodeId> rows) {
    const CountedNodes counted(request, constraints_);
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      request.check_time();
      const Column<Symbol> label = request.view.label(constraints_[i].topology_key);
      const PodsLookup here = lookup(request.view, pods[i], rows.size());
      for (const NodeId row : rows) {
        const bool counts = (!leaves_out_ || counted.has_keys(row)) && counted.follows(constraints_[i], row);
        parts_[i].set(row, label[row], here[row], counts);
      }
    }
    left_out_.resize(std::max<std::size_t>(left_out_.size(), request.view.capacity()), 0);
    for (const NodeId row : rows) leave_out(row, leaves_out_ && !counted.has_keys(row));
  }
  /// Nodes of one group have the same domains, and as many pods where a node is a domain.
  void group(const View& view, std::span<const NodeId> rows) {
    if (!std::ranges::all_of(parts_, &KeptPart::has_few_domains)) return groups_.reset();
    if (!groups_) groups_.emplace();
    groups_->follow(view, rows, [this](NodeId row) { return group_key(row); });
  }
  RowGroups::Key group_key(NodeId row) const {
    if (is_left_out(row)) return kLeftOut;
    RowGroups::Key key;
    key.fill(kNone);
    for (std::size_t i = 0; i < parts_.size(); ++i) key[i] = parts_[i].goes_by(row);
    return key;
  }

  /// A node that is left out is reduced in another way, though its raw score may be the same.
  void leave_out(NodeId row, bool is_out) {
    if (std::exchange(left_out_[row], is_out ? 1 : 0) == (is_out ? 1 : 0)) return;
    is_out ? ++left_out_rows_ : --left_out_rows_;
    moved_.add_all();
  }

  /// The key of nodes that are left out. No number of a domain and none of pods is this one.
  static constexpr RowGroups::Key kLeftOut = {kNone - 1, kNone - 1, kNone - 1, kNone - 1};

  const std::vector<TopologyConstraint> constraints_;
  const bool leaves_out_;
  std::vector<KeptPart> parts_;         ///< One for each.
  std::vector<std::uint8_t> left_out_;  ///< By row: 1 if it lacks a key, and so takes no part.
  std::size_t left_out_rows_ = 0;
  MovedNodes moved_;
  std::optional<RowGroups> groups_;  ///< None: they would be too many.
};

class ScoresByKept final : public Priority {
 public:
  explicit ScoresByKept(std::shared_ptr<const KeptScores> kept) : kept_(std::move(kept)) {}

  void map(std::span<const NodeId> nodes, std::span<std::int64_t> out) const override {
    if (const KeptPart* const only = kept_->only_part(); only && only->by_domain()) {
      only->map_alone(nodes, out);
      for (std::size_t i = 0; kept_->leaves_any_out() && i < nodes.size(); ++i)
        if (kept_->is_left_out(nodes[i])) out[i] = 0;
      return;
    }
    for (std::size_t begin = 0; begin < nodes.size(); begin += kNodesAtOnce) {
      const std::size_t size = std::min(kNodesAtOnce, nodes.size() - begin);
      map_sums(nodes.subspan(begin, size), out.subspan(begin, size));
    }
  }
  void reduce(std::span<const NodeId> nodes, std::span<std::int64_t> scores) const override {
    if (kept_->leaves_any_out())
      reduce_spread(nodes, scores, [&](NodeId node) { return kept_->is_left_out(node); });
    else
      reduce_spread(nodes, scores, [](NodeId) { return false; });
  }
  const std::vector<NodeId>* moved() const override { return kept_->moved(); }
  std::optional<NodeGroups> groups() const override { return kept_->groups(); }
  void score_groups(std::span<const std::uint32_t> groups, std::span<std::int64_t> scores) const override {
    const auto is_left_out = [this](std::uint32_t group) { return kept_->is_group_left_out(group); };
    for (std::size_t i = 0; i < groups.size(); ++i)
      scores[i] = is_left_out(groups[i]) ? 0 : kept_->raw_of_group(groups[i]);
    reduce_spread(groups, scores, is_left_out);
  }

 private:
  /// @param nodes  kNodesAtOnce at most.
  void map_sums(std::span<const NodeId> nodes, std::span<std::int64_t> out) const {
    std::array<double, kNodesAtOnce> sums{};
    for (const KeptPart& part : kept_->parts()) part.add_to(sums, nodes);
    const bool leaves_any_out = kept_->leaves_any_out();
    for (std::size_t i = 0; i < nodes.size(); ++i)
      if (!leaves_any_out || !kept_->is_left_out(nodes[i])) out[i] = rounded(sums[i]);
  }

  const std::shared_ptr<const KeptScores> kept_;
};

std::unique_ptr<const Priority> follow(const Request& request, std::shared_ptr<KeptScores> kept,
                                       std::span<const NodeId> rows) {
  if (!kept->follow(request, rows)) return nullptr;
  request.kept->state = kept;
  return std::make_unique<ScoresByKept>(std::move(kept));
}

}  // namespace

std::unique_ptr<const Priority> spread_scores_by_kept(const Request& request) {
  const MemoryScope outlives_the_request(nullptr);
  auto kept = std::static_pointer_cast<KeptScores>(std::exchange(request.kept->state, nullptr));
  return kept ? follow(request, std::move(kept), request.kept->changed) : nullptr;
}

std::unique_ptr<const Priority> spread_scores_to_keep(const Request& request,
                                                      const std::vector<TopologyConstraint>& constraints,
                                                      bool leaves_out) {
  if (constraints.size() > kMostKept) return nullptr;
  const MemoryScope outlives_the_request(nullptr);
  // Its first request finds every domain's part new, so that all nodes have moved.
  return follow(request, std::make_shared<KeptScores>(constraints, leaves_out), request.view.all_nodes());
}

}  // namespace winnow::priorities::today
