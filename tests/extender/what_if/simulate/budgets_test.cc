#include <doctest/doctest.h>

#include "cluster/state/state.h"
#include "extender/what_if/simulate/batch.h"
#include "tests/builders.h"

namespace winnow::test {
namespace {

PodDisruptionBudget budget(const std::string& name, std::optional<LabelSelector> selector,
                           std::int32_t allowed, std::int32_t current = 0, std::int32_t desired = 0) {
  PodDisruptionBudget made;
  made.metadata = meta("shop", name);
  made.selector = std::move(selector);
  made.disruptions_allowed = allowed;
  made.current_healthy = current;
  made.desired_healthy = desired;
  return made;
}

void put(State& state, const PodDisruptionBudget& one) {
  state.objects.of<PodDisruptionBudget>().emplace(key_of(one.metadata), one);
}

constexpr const char* kRefused = "Cannot evict pod as it would violate the pod's disruption budget. ";

}  // namespace

TEST_CASE("budgets: what the eviction API says") {
  struct Row {
    std::string sentence;
    std::vector<PodDisruptionBudget> budgets;
    std::string answer;  // "": evicted.
  };
  const auto web = selects({{"app", "web"}});
  const Row rows[] = {
      {"no budget", {}, ""},
      {"a budget of others", {budget("db", selects({{"app", "db"}}), 0)}, ""},
      {"one without a selector", {budget("none", std::nullopt, 0)}, ""},
      {"one eviction is allowed", {budget("web", web, 1)}, ""},
      {"none is",
       {budget("web", web, 0, 8, 8)},
       std::string(kRefused) + "The disruption budget web needs 8 healthy pods and has 8 currently"},
      {"none is, and the status does not say why",
       {budget("web", web, 0)},
       std::string(kRefused) + "The disruption budget web does not allow evicting pods currently"},
      {"an empty selector selects all",
       {budget("all", LabelSelector(), 0)},
       std::string(kRefused) + "The disruption budget all does not allow evicting pods currently"},
      {"two budgets",
       {budget("a", web, 5), budget("b", web, 5)},
       "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    State state;
    for (const PodDisruptionBudget& one : row.budgets) put(state, one);
    const Pod web_pod = pod("web-0").in("shop").label("app", "web");
    CHECK(Budgets(state).refuses(web_pod.metadata).value_or("") == row.answer);
    Pod leaving = web_pod;
    leaving.metadata.deleting = true;
    CHECK_FALSE(Budgets(state).refuses(leaving.metadata));
  }
}

TEST_CASE("budgets: pods that leave and stand are counted") {
  struct Row {
    std::string sentence;
    PodDisruptionBudget before;
    int left, stand;
    std::int32_t allowed;
  };
  const auto web = selects({{"app", "web"}});
  const Row rows[] = {
      {"one leaves", budget("web", web, 2, 5, 3), 1, 0, 1},
      {"one leaves and stands again", budget("web", web, 1, 4, 3), 1, 1, 1},
      {"too many leave", budget("web", web, 1, 4, 3), 3, 1, 0},
      {"a ninth pod allows one", budget("web", web, 0, 8, 8), 0, 1, 1},
      {"without numbers the evictions are counted", budget("web", web, 1), 1, 0, 0},
      {"and what stands", budget("web", web, 1), 1, 1, 1},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    State state;
    put(state, row.before);
    Budgets budgets(state);
    const Pod web_pod = pod("web-0").in("shop").label("app", "web");
    const Pod other = pod("db-0").in("shop").label("app", "db");
    for (int i = 0; i < row.left; ++i) budgets.left(web_pod.metadata);
    for (int i = 0; i < row.stand; ++i) budgets.stands(web_pod.metadata);
    budgets.left(other.metadata);
    CHECK(state.objects.of<PodDisruptionBudget>().at("shop/web").disruptions_allowed == row.allowed);
  }
}

}  // namespace winnow::test
