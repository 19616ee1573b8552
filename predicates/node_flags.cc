#include "predicates/rules.h"

namespace winnow::predicates {
namespace {

class FailsOnFlag final : public Predicate {
 public:
  FailsOnFlag(const View& view, NodeFlag flag, std::string reason)
      : flags_(view.column(&NodeTable::flags)), flag_(flag), reasons_{std::move(reason)} {}

  void map(std::span<const NodeId> nodes, std::span<Verdict> out) const override {
    for (std::size_t i = 0; i < nodes.size(); ++i)
      if ((flags_[nodes[i]] & flag_) != 0) [[unlikely]]
        out[i] = Verdict::of(Fit::kUnresolvable, 1);
  }
  std::span<const std::string> reasons() const override { return reasons_; }

 private:
  const Column<std::uint16_t> flags_;
  const std::uint16_t flag_;
  const std::array<std::string, 1> reasons_;
};

}  // namespace

std::unique_ptr<const Predicate> fails_on_flag(const View& view, NodeFlag flag, std::string reason) {
  return std::make_unique<FailsOnFlag>(view, flag, std::move(reason));
}

}  // namespace winnow::predicates
