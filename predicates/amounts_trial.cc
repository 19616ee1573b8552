#include "predicates/amounts_trial.h"

#include <algorithm>

#include "cluster/go_int.h"

namespace winnow::predicates {
namespace {

std::int64_t amount_of(const Amount& amount, const Footprint& pod) {
  if (!amount.is_scalar) return amount.of_pod ? pod.requests.*amount.of_pod : 1;
  std::int64_t sum = 0;
  for (const auto& [name, requested] : pod.scalars)
    if (name == amount.scalar) sum = wrap_add(sum, requested);
  return sum;
}

class AmountsTrial final : public Trial {
 public:
  AmountsTrial(const State& state, std::vector<Amount> amounts, Lacks* lacks)
      : state_(state),
        amounts_(std::make_shared<const std::vector<Amount>>(std::move(amounts))),
        lacks_(lacks),
        now_(amounts_->size()) {}

  void begin(NodeId node) override {
    for (std::size_t i = 0; i < now_.size(); ++i)
      now_[i] = {(*amounts_)[i].allocatable[node], (*amounts_)[i].requested[node]};
  }

  void change(PodId pod, std::int32_t by) override {
    const Footprint& footprint = state_.footprint(state_.pod(pod));
    for (std::size_t i = 0; i < now_.size(); ++i)
      now_[i].requested =
          wrap_add(now_[i].requested, wrap_multiply(by, amount_of((*amounts_)[i], footprint)));
  }

  bool fits() const override {
    for (std::size_t i = 0; i < now_.size(); ++i) {
      const Amount& amount = (*amounts_)[i];
      if (amount.by_devices && now_[i].allocatable <= 0) continue;
      if (lacks_(amount.wanted, now_[i].allocatable, now_[i].requested)) return false;
    }
    return true;
  }

  std::unique_ptr<Trial> copy() const override { return std::make_unique<AmountsTrial>(*this); }

 private:
  struct Now {
    std::int64_t allocatable = 0, requested = 0;
  };
  const State& state_;
  std::shared_ptr<const std::vector<Amount>> amounts_;
  Lacks* lacks_;
  std::vector<Now> now_;  ///< By amount.
};

}  // namespace

std::unique_ptr<Trial> make_amounts_trial(const Request& request, std::vector<Amount> amounts, Lacks* lacks) {
  return std::make_unique<AmountsTrial>(request.view.state(), std::move(amounts), lacks);
}

}  // namespace winnow::predicates
