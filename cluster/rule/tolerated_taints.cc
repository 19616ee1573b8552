#include "cluster/rule/tolerated_taints.h"

#include "cluster/api/selector.h"

namespace winnow {

ToleratedTaints::ToleratedTaints(const View& view, const std::vector<Toleration>& tolerations,
                                 std::initializer_list<std::string_view> effects)
    : taints_(view.column(&NodeTable::taints)) {
  const auto& sets = view.names().taints;
  Tolerations tolerated;
  for (const Toleration& toleration : tolerations) tolerated.add(toleration);
  sets_.resize(sets.capacity());
  for (std::uint32_t id = 0; id < sets.capacity(); ++id) {
    sets_[id] = std::ranges::all_of(sets[id], [&](const Taint& taint) {
      return !std::ranges::contains(effects, taint.effect) || tolerated.tolerate(taint);
    });
    all_ = all_ && sets_[id];
  }
}

}  // namespace winnow
