// Rules whose verdicts and scores are plain to see, for tests of what is made of them. Which nodes a
// predicate refuses is its argument: the labels of labelsPresence are taken as nodes' names.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cluster/state/view.h"
#include "extender/engine/ruleset.h"
#include "predicates/rules.h"

namespace winnow::test {

template <Fit kFit>
class RefusingPredicate : public Predicate {
 public:
  RefusingPredicate(const View& view, std::vector<std::string> nodes, std::string reason)
      : view_(view), nodes_(std::move(nodes)), reasons_{std::move(reason)} {}
  void map(std::span<const NodeId> nodes, std::span<Verdict> out) const override {
    for (std::size_t i = 0; i < nodes.size(); ++i)
      out[i] = Verdict::one(!std::ranges::contains(nodes_, view_.node_name(nodes[i])), kFit);
  }
  std::span<const std::string> reasons() const override { return reasons_; }

  static std::unique_ptr<const Predicate> bind(const Request& request, const Arguments& arguments) {
    constexpr const char* kReason = kFit == Fit::kUnschedulable  ? "full"
                                    : kFit == Fit::kUnresolvable ? "not \"here\""
                                                                 : "100% broken";
    return std::make_unique<RefusingPredicate>(request.view, arguments.get<LabelsPresence>().labels, kReason);
  }

 private:
  const View& view_;
  const std::vector<std::string> nodes_, reasons_;
};

/// A predicate that refuses these nodes.
template <Fit kFit>
ConfiguredPredicate refuses(std::vector<std::string> nodes, std::string name = "Fake") {
  return {std::move(name), &RefusingPredicate<kFit>::bind, LabelsPresence{std::move(nodes), true}};
}
inline ConfiguredPredicate full_on(std::vector<std::string> nodes, std::string name = "Full") {
  return refuses<Fit::kUnschedulable>(std::move(nodes), std::move(name));
}
inline ConfiguredPredicate never_on(std::vector<std::string> nodes, std::string name = "Never") {
  return refuses<Fit::kUnresolvable>(std::move(nodes), std::move(name));
}
inline ConfiguredPredicate errs_on(std::vector<std::string> nodes, std::string name = "Errs") {
  return refuses<Fit::kError>(std::move(nodes), std::move(name));
}

/// Scores a node by the number that its name ends in: n7 has 7.
class DigitPriority : public Priority {
 public:
  explicit DigitPriority(const View& view) : view_(view) {}
  void map(std::span<const NodeId> nodes, std::span<std::int64_t> out) const override {
    for (std::size_t i = 0; i < nodes.size(); ++i) out[i] = view_.node_name(nodes[i]).back() - '0';
  }
  static std::expected<std::unique_ptr<const Priority>, std::string> bind(const Request& request,
                                                                          const Arguments&) {
    return std::make_unique<DigitPriority>(request.view);
  }

 private:
  const View& view_;
};
inline ConfiguredPriority by_digit(std::int64_t weight = 1) {
  return {"Digit", &DigitPriority::bind, {}, weight};
}

inline std::expected<std::unique_ptr<const Priority>, std::string> bind_broken(const Request&,
                                                                               const Arguments&) {
  return std::unexpected("this priority is broken");
}
inline ConfiguredPriority broken_priority() { return {"Broken", &bind_broken}; }

}  // namespace winnow::test
