#include "cluster/rule/reasons.h"

#include <doctest/doctest.h>

#include <string>
#include <thread>
#include <vector>

namespace winnow {
namespace {

using Texts = std::vector<std::string_view>;

class Rule final : public Predicate {
 public:
  void map(std::span<const NodeId>, std::span<Verdict>) const override {}
  std::span<const std::string> reasons() const override { return reasons_; }

 private:
  const std::vector<std::string> reasons_ = std::vector<std::string>(Verdict::kMaxReasons, "text");
};

TEST_CASE("a set says the rule's own texts, a list those that it was made of") {
  const Rule rule;
  ReasonLists lists;
  CHECK(reasons_of(&rule, Verdict(), lists).empty());
  CHECK(reasons_of(&rule, Verdict::of(Fit::kError, 0b101), lists) == Texts{"text", "text"});
  const Verdict last = Verdict::of(Fit::kUnresolvable, std::uint64_t{1} << (Verdict::kMaxReasons - 1));
  CHECK_FALSE(last.is_listed());
  CHECK(reasons_of(&rule, last, lists) == Texts{"text"});

  const Verdict one = lists.verdict(Fit::kUnresolvable, {"b", "a"});
  CHECK(one.is_listed());
  CHECK(one.fit() == Fit::kUnresolvable);
  CHECK_FALSE(one.fits());
  CHECK(lists.verdict(Fit::kUnresolvable, {"b", "a"}) == one);
  CHECK(lists.verdict(Fit::kUnresolvable, {"a", "b"}) != one);
  CHECK(lists.verdict(Fit::kUnschedulable, {"b", "a"}) != one);
  CHECK(reasons_of(nullptr, one, lists) == Texts{"b", "a"});
}

TEST_CASE("equal lists are one, whichever thread makes them") {
  ReasonLists lists;
  std::vector<std::vector<Verdict>> made(4);
  {
    std::vector<std::jthread> threads;
    for (std::vector<Verdict>& verdicts : made)
      threads.emplace_back([&lists, &verdicts] {
        for (int i = 0; i < 500; ++i) verdicts.push_back(lists.verdict(Fit::kError, {std::to_string(i)}));
      });
  }
  for (const std::vector<Verdict>& verdicts : made) CHECK(verdicts == made[0]);
  for (int i = 0; i < 500; ++i)
    CHECK(lists.texts(made[0][static_cast<std::size_t>(i)])[0] == std::to_string(i));
}

}  // namespace
}  // namespace winnow
