#include "predicates/rules.h"

namespace winnow::predicates {
namespace {

/// Nodes share taint sets: each set is judged once, and a node costs two array reads.
class ToleratesTaints final : public OneReason<ToleratesTaints> {
 public:
  ToleratesTaints(const View& view, std::vector<std::uint8_t> fits)
      : OneReason(Fit::kUnresolvable, "node(s) had taints that the pod didn't tolerate"),
        taints_(view.column(&NodeTable::taints)),
        fits_(std::move(fits)) {}

  bool fits(NodeId node) const { return fits_[taints_[node]] != 0; }

 private:
  const Column<std::uint32_t> taints_;
  const std::vector<std::uint8_t> fits_;  // By taint set.
};

}  // namespace

std::unique_ptr<const Predicate> tolerates_taints(const Request& request,
                                                  std::initializer_list<std::string_view> effects) {
  const auto& sets = request.view.names().taints;
  std::vector<std::uint8_t> fits(sets.capacity());
  bool all = true;
  for (std::uint32_t id = 0; id < sets.capacity(); ++id) {
    fits[id] = std::ranges::all_of(sets[id], [&](const Taint& taint) {
      return !std::ranges::contains(effects, taint.effect) || tolerates(request.pod.spec.tolerations, taint);
    });
    all = all && fits[id];
  }
  if (all) return nullptr;
  return std::make_unique<ToleratesTaints>(request.view, std::move(fits));
}

}  // namespace winnow::predicates
