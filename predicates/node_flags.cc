#include "predicates/rules.h"

namespace winnow::predicates {
namespace {

/// Reason i belongs to flag i.
class FailsOnFlags final : public Predicate {
 public:
  FailsOnFlags(const View& view, std::vector<std::pair<NodeFlag, std::string>> flags)
      : node_flags_(view.column(&NodeTable::flags)) {
    for (auto& [flag, reason] : flags) {
      flags_.push_back(flag);
      any_ = static_cast<std::uint16_t>(any_ | flag);
      reasons_.push_back(std::move(reason));
    }
  }

  void map(std::span<const NodeId> nodes, std::span<Verdict> out) const override {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const std::uint16_t node = node_flags_[nodes[i]];
      if ((node & any_) == 0) [[likely]]
        continue;
      std::uint64_t failed = 0;
      for (std::size_t f = 0; f < flags_.size(); ++f) failed |= std::uint64_t{(node & flags_[f]) != 0} << f;
      out[i] = Verdict::of(Fit::kUnresolvable, failed);
    }
  }
  std::span<const std::string> reasons() const override { return reasons_; }

 private:
  const Column<std::uint16_t> node_flags_;
  std::vector<std::uint16_t> flags_;
  std::uint16_t any_ = 0;
  std::vector<std::string> reasons_;
};

}  // namespace

std::unique_ptr<const Predicate> fails_on_flags(const View& view,
                                                std::vector<std::pair<NodeFlag, std::string>> flags) {
  return std::make_unique<FailsOnFlags>(view, std::move(flags));
}

}  // namespace winnow::predicates
