#include "extender/service/verbs/routes.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "extender/service/page/pod_page.h"

namespace winnow {

namespace verbs {
VerbFunction bind, explain, filter, healthy, page_names, page_node, page_overview, page_pods, page_try,
    page_waiting, preempt, prioritize, ready, rules, show_decisions, show_flags, show_metrics, show_profile,
    show_status, version;
void page_asset(const Asset& asset, Reply& reply);
}  // namespace verbs

namespace {

/// The verb that answers with a file of the page.
template <std::size_t kIndex>
void asset(VerbContext&, Call&, Reply& reply) {
  verbs::page_asset(assets()[kIndex], reply);
}

template <std::size_t kIndex>
constexpr Route asset_route(std::string_view path) {
  return {path,           "GET",        "other",        Load::kLight,  Port::kMain,
          From::kOwnPage, Body::kEmpty, ByToken::kOpen, &asset<kIndex>};
}

constexpr auto kRoutes = std::to_array<Route>({
    {"/filter", "POST", "filter", Load::kComputes, Port::kMain, From::kDecider, Body::kArgs, ByToken::kShut,
     &verbs::filter},
    {"/prioritize", "POST", "prioritize", Load::kComputes, Port::kMain, From::kDecider, Body::kArgs,
     ByToken::kShut, &verbs::prioritize},
    {"/predicates", "POST", "filter", Load::kComputes, Port::kMain, From::kDecider, Body::kArgs,
     ByToken::kShut, &verbs::filter},
    {"/priorities", "POST", "prioritize", Load::kComputes, Port::kMain, From::kDecider, Body::kArgs,
     ByToken::kShut, &verbs::prioritize},
    {"/rules", "GET", "other", Load::kLight, Port::kMain, From::kAnyone, Body::kEmpty, ByToken::kOpen,
     &verbs::rules},
    {"/explain", "POST", "explain", Load::kComputes, Port::kMain, From::kOwnPage, Body::kArgs, ByToken::kOpen,
     &verbs::explain},
    {"/preempt", "POST", "preempt", Load::kComputes, Port::kMain, From::kNoBrowser, Body::kArgs,
     ByToken::kShut, &verbs::preempt},
    {"/bind", "POST", "other", Load::kLight, Port::kMain, From::kNoBrowser, Body::kBinding, ByToken::kShut,
     &verbs::bind},
    {"/livez", "GET", "other", Load::kLight, Port::kBoth, From::kAnyHost, Body::kEmpty, ByToken::kOpen,
     &verbs::healthy},
    {"/readyz", "GET", "other", Load::kLight, Port::kBoth, From::kAnyHost, Body::kEmpty, ByToken::kOpen,
     &verbs::ready},
    {"/healthz", "GET", "other", Load::kLight, Port::kBoth, From::kAnyHost, Body::kEmpty, ByToken::kOpen,
     &verbs::healthy},
    {"/version", "GET", "other", Load::kLight, Port::kBoth, From::kAnyone, Body::kEmpty, ByToken::kOpen,
     &verbs::version},
    {"/metrics", "GET", "other", Load::kLight, Port::kBoth, From::kAnyone, Body::kEmpty, ByToken::kOpen,
     &verbs::show_metrics},
    {"/statusz", "GET", "other", Load::kLight, Port::kMain, From::kAnyone, Body::kEmpty, ByToken::kOpen,
     &verbs::show_status},
    {"/flagz", "GET", "other", Load::kLight, Port::kMain, From::kAnyone, Body::kEmpty, ByToken::kOpen,
     &verbs::show_flags},
    {"/decisions", "GET", "other", Load::kLight, Port::kMain, From::kOwnPage, Body::kEmpty, ByToken::kOpen,
     &verbs::show_decisions},
    {"/debug/pprof/profile", "GET", "other", Load::kLong, Port::kMain, From::kOwnPage, Body::kEmpty,
     ByToken::kOpen, &verbs::show_profile},
    asset_route<0>("/"),
    asset_route<1>("/page/page.css"),
    asset_route<2>("/page/icon.svg"),
    asset_route<3>("/page/main.js"),
    asset_route<4>("/page/dom.js"),
    asset_route<5>("/page/server.js"),
    asset_route<6>("/page/overview.js"),
    asset_route<7>("/page/heatmap.js"),
    asset_route<8>("/page/pod.js"),
    asset_route<9>("/page/asks.js"),
    asset_route<10>("/page/words.js"),
    asset_route<11>("/page/node.js"),
    asset_route<12>("/page/attempt.js"),
    {"/page/overview", "GET", "other", Load::kLight, Port::kMain, From::kOwnPage, Body::kEmpty,
     ByToken::kOpen, &verbs::page_overview},
    {"/page/names", "GET", "other", Load::kLight, Port::kMain, From::kOwnPage, Body::kEmpty, ByToken::kOpen,
     &verbs::page_names},
    {"/page/node", "GET", "other", Load::kLight, Port::kMain, From::kOwnPage, Body::kEmpty, ByToken::kOpen,
     &verbs::page_node},
    {"/page/pods", "GET", "other", Load::kLight, Port::kMain, From::kOwnPage, Body::kEmpty, ByToken::kOpen,
     &verbs::page_pods},
    {"/page/waiting", "GET", "other", Load::kLight, Port::kMain, From::kOwnPage, Body::kEmpty, ByToken::kOpen,
     &verbs::page_waiting},
    {"/page/try", "POST", "explain", Load::kComputes, Port::kMain, From::kOwnPage, Body::kObject,
     ByToken::kOpen, &verbs::page_try},
});

constexpr bool is_whole(const Route& route) {
  return route.path.starts_with('/') && (route.method == "GET" || route.method == "POST") &&
         (route.method == "GET") == (route.body == Body::kEmpty) && !route.label.empty();
}
static_assert(std::ranges::all_of(kRoutes, is_whole), "a route lacks something");

/// What is answered whatever the Host: these paths, and no other.
constexpr bool is_probe(const Route& route) {
  return route.path == "/livez" || route.path == "/readyz" || route.path == "/healthz";
}
static_assert(std::ranges::all_of(kRoutes,
                                  [](const Route& route) {
                                    return (route.from == From::kAnyHost) == is_probe(route);
                                  }),
              "what is no probe would be answered by any Host");

/// A token reads, and nothing else.
constexpr bool stays_shut(const Route& route) {
  return route.by_token == ByToken::kShut || route.method == "GET" || route.path == "/explain" ||
         route.path == "/page/try";
}
static_assert(std::ranges::all_of(kRoutes, stays_shut), "a token would open more than what reads");

/// Routes with one label must agree on whether the label has series of passes.
constexpr bool agrees(const Route& route) {
  return std::ranges::all_of(kRoutes, [&](const Route& other) {
    return other.label != route.label || (other.load == Load::kComputes) == (route.load == Load::kComputes);
  });
}
static_assert(std::ranges::all_of(kRoutes, agrees), "one label, and two loads");

}  // namespace

std::span<const Route> routes() { return kRoutes; }

std::size_t most_bytes(Body body) {
  switch (body) {
    case Body::kEmpty:
      return 0;
    case Body::kBinding:
      return std::size_t{64} << 10;
    case Body::kObject:
      return std::size_t{3} << 20;
    case Body::kArgs:
      break;
  }
  return ~std::size_t{0};
}

}  // namespace winnow
