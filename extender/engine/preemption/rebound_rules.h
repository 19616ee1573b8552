// The rules without a trial of their own, in the dry run of a preemption: they are bound anew after each
// change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cluster/rule/trial.h"
#include "extender/engine/engine.h"

namespace winnow {

/// Several rules in one: the pod must pass all. They read an overlay without the pods that have left, and
/// with the pending pods that have come.
class ReboundRules final : public Trial {
 public:
  /// All arguments outlive this. @param begun  of the view without any change.
  /// @param rules  indices of the engine's rules.
  ReboundRules(const Engine& engine, const Filtered& begun, const Pod& pod, const View& view,
               std::vector<std::size_t> rules)
      : engine_(engine),
        begun_(begun),
        pod_(pod),
        before_(view),
        overlay_(view.overlay()),
        unchanged_(overlay_.mark()),
        rules_(std::move(rules)) {}

  void begin(NodeId node) override;
  void change(PodId pod, std::int32_t by) override;
  bool fits() const override;
  std::unique_ptr<Trial> copy() const override { return std::make_unique<ReboundRules>(*this); }

 private:
  const Engine& engine_;
  const Filtered& begun_;
  const Pod& pod_;
  const View& before_;  ///< Without any change.
  Overlay overlay_;
  std::size_t unchanged_;
  std::vector<std::size_t> rules_;
  std::string node_name_;
  bool has_nominated_ = false;
};

}  // namespace winnow
