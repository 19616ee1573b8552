#include "extender/verbs/routes.h"

#include <algorithm>
#include <array>

namespace winnow {

namespace verbs {
VerbFunction bind, explain, filter, healthy, preempt, prioritize, ready, rules, show_flags, show_metrics,
    show_status, version;
}  // namespace verbs

namespace {

constexpr auto kRoutes = std::to_array<Route>({
    {"/filter", "POST", "filter", Load::kComputes, Port::kMain, From::kAnyone, ByToken::kShut,
     &verbs::filter},
    {"/prioritize", "POST", "prioritize", Load::kComputes, Port::kMain, From::kAnyone, ByToken::kShut,
     &verbs::prioritize},
    {"/predicates", "POST", "filter", Load::kComputes, Port::kMain, From::kAnyone, ByToken::kShut,
     &verbs::filter},
    {"/priorities", "POST", "prioritize", Load::kComputes, Port::kMain, From::kAnyone, ByToken::kShut,
     &verbs::prioritize},
    {"/rules", "GET", "other", Load::kLight, Port::kMain, From::kAnyone, ByToken::kOpen, &verbs::rules},
    {"/explain", "POST", "explain", Load::kComputes, Port::kMain, From::kAnyone, ByToken::kOpen,
     &verbs::explain},
    {"/preempt", "POST", "preempt", Load::kComputes, Port::kMain, From::kNoBrowser, ByToken::kShut,
     &verbs::preempt},
    {"/bind", "POST", "other", Load::kLight, Port::kMain, From::kNoBrowser, ByToken::kShut, &verbs::bind},
    {"/livez", "GET", "other", Load::kLight, Port::kBoth, From::kAnyone, ByToken::kOpen, &verbs::healthy},
    {"/readyz", "GET", "other", Load::kLight, Port::kBoth, From::kAnyone, ByToken::kOpen, &verbs::ready},
    {"/healthz", "GET", "other", Load::kLight, Port::kBoth, From::kAnyone, ByToken::kOpen, &verbs::healthy},
    {"/version", "GET", "other", Load::kLight, Port::kBoth, From::kAnyone, ByToken::kOpen, &verbs::version},
    {"/metrics", "GET", "other", Load::kLight, Port::kBoth, From::kAnyone, ByToken::kOpen,
     &verbs::show_metrics},
    {"/statusz", "GET", "other", Load::kLight, Port::kMain, From::kAnyone, ByToken::kOpen,
     &verbs::show_status},
    {"/flagz", "GET", "other", Load::kLight, Port::kMain, From::kAnyone, ByToken::kOpen, &verbs::show_flags},
});

constexpr bool is_whole(const Route& route) {
  return route.path.starts_with('/') && (route.method == "GET" || route.method == "POST") &&
         !route.label.empty();
}
static_assert(std::ranges::all_of(kRoutes, is_whole), "a route lacks something");

/// A token reads, and nothing else.
constexpr bool stays_shut(const Route& route) {
  return route.by_token == ByToken::kShut || route.method == "GET" || route.path == "/explain";
}
static_assert(std::ranges::all_of(kRoutes, stays_shut), "a token would open more than what reads");

/// Routes with one label must agree on whether the label has series of passes.
constexpr bool agrees(const Route& route) {
  return std::ranges::all_of(
      kRoutes, [&](const Route& other) { return other.label != route.label || other.load == route.load; });
}
static_assert(std::ranges::all_of(kRoutes, agrees), "one label, and two loads");

}  // namespace

std::span<const Route> routes() { return kRoutes; }

}  // namespace winnow
