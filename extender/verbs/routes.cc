#include "extender/verbs/routes.h"

#include <algorithm>
#include <array>

namespace winnow {

namespace verbs {
VerbFunction bind, explain, filter, healthy, preempt, prioritize, ready, rules, show_metrics, version;
}  // namespace verbs

namespace {

constexpr auto kRoutes = std::to_array<Route>({
    {"/filter", "POST", "filter", Load::kComputes, Port::kMain, From::kAnyone, &verbs::filter},
    {"/prioritize", "POST", "prioritize", Load::kComputes, Port::kMain, From::kAnyone, &verbs::prioritize},
    {"/predicates", "POST", "filter", Load::kComputes, Port::kMain, From::kAnyone, &verbs::filter},
    {"/priorities", "POST", "prioritize", Load::kComputes, Port::kMain, From::kAnyone, &verbs::prioritize},
    {"/rules", "GET", "other", Load::kLight, Port::kMain, From::kAnyone, &verbs::rules},
    {"/explain", "POST", "explain", Load::kComputes, Port::kMain, From::kAnyone, &verbs::explain},
    {"/preempt", "POST", "preempt", Load::kComputes, Port::kMain, From::kNoBrowser, &verbs::preempt},
    {"/bind", "POST", "other", Load::kLight, Port::kMain, From::kNoBrowser, &verbs::bind},
    {"/livez", "GET", "other", Load::kLight, Port::kBoth, From::kAnyone, &verbs::healthy},
    {"/readyz", "GET", "other", Load::kLight, Port::kBoth, From::kAnyone, &verbs::ready},
    {"/healthz", "GET", "other", Load::kLight, Port::kBoth, From::kAnyone, &verbs::healthy},
    {"/version", "GET", "other", Load::kLight, Port::kBoth, From::kAnyone, &verbs::version},
    {"/metrics", "GET", "other", Load::kLight, Port::kBoth, From::kAnyone, &verbs::show_metrics},
});

constexpr bool is_whole(const Route& route) {
  return route.path.starts_with('/') && (route.method == "GET" || route.method == "POST") &&
         !route.label.empty();
}
static_assert(std::ranges::all_of(kRoutes, is_whole), "a route lacks something");

/// Routes with one label must agree on whether the label has series of passes.
constexpr bool agrees(const Route& route) {
  return std::ranges::all_of(
      kRoutes, [&](const Route& other) { return other.label != route.label || other.load == route.load; });
}
static_assert(std::ranges::all_of(kRoutes, agrees), "one label, and two loads");

}  // namespace

std::span<const Route> routes() { return kRoutes; }

}  // namespace winnow
