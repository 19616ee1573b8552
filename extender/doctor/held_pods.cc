// The check of places that are held in the cluster for pods that kube-scheduler does not try.
#include <algorithm>
#include <format>
#include <iterator>

#include "cluster/decode/decode.h"
#include "cluster/state/held_places.h"
#include "cluster/text/encoding/percent_encoding.h"
#include "cluster/watch/list_page.h"
#include "extender/doctor/held_leases.h"
#include "extender/doctor/nominators.h"
#include "extender/doctor/rights.h"

namespace winnow {
namespace {

constexpr int kMostPodPages = 20;
/// A pod that is nominated is tried within a second, unless many wait before it.
constexpr double kMayWait = 30;
constexpr std::size_t kMostTold = 3;

/// Puts the nominated pods of one page into the state. Whoever cannot be read is left out.
/// @return where the next page begins, or one line.
std::expected<std::string, std::string> add_nominated(const std::string& body, State& state) {
  const auto page = live::read_list_page(body);
  if (!page) return std::unexpected("no list of pods: " + page.error());
  for (const std::string_view item : page->items)
    if (const auto pod = decode_pod(item);
        pod && !pod->status.nominated_node_name.empty() && pod->spec.node_name.empty())
      state.set_pod(*pod);
  return page->next;
}

/// Those of Winnow's nominations whose pods kube-scheduler has not tried for long, the oldest first.
std::vector<HeldPlace> held_for_nobody(const State& state, WallTime now) {
  std::vector<HeldPlace> places = held_places(state, nullptr, HeldClocks{.steady = {}, .wall = now});
  std::erase_if(places, [](const HeldPlace& place) {
    return place.by != HeldBy::kNomination || place.tried != HeldTried::kNever ||
           place.seconds.value_or(0) <= kMayWait;
  });
  std::ranges::stable_sort(places, std::ranges::greater{},
                           [](const HeldPlace& place) { return place.seconds; });
  return places;
}

std::string told(const std::vector<HeldPlace>& places) {
  std::string text;
  const std::size_t count = std::min(places.size(), kMostTold);
  for (std::size_t i = 0; i < count; ++i) text += (i == 0 ? "" : "; ") + to_text(places[i]);
  if (places.size() > count) text += std::format("; and {} more", places.size() - count);
  return text;
}

}  // namespace

void check_held_places(const NominatorQuestions& questions, Diagnoses& found) {
  State state;
  std::string next;
  for (int page = 0; page == 0 || (!next.empty() && page < kMostPodPages); ++page) {
    std::string path = "/api/v1/pods?fieldSelector=spec.nodeName%3D&limit=500";
    if (!next.empty()) path += "&continue=" + percent_encoded(next);
    const auto body = get_body(questions.asked.ask, std::move(path));
    if (!body) return found.skipped("held-places", "pods are not shown: " + body.error());
    auto after = add_nominated(*body, state);
    if (!after) return found.skipped("held-places", "pods are not shown: " + after.error());
    next = std::move(*after);
  }
  const std::vector<HeldPlace> places = held_for_nobody(state, questions.now);
  if (places.empty())
    return found.ok("held-places", std::format("no place is held for a pod that kube-scheduler has not tried "
                                               "for {:.0f} s",
                                               kMayWait));
  const LeaseName lease{lease_namespace(questions.asked.setup, questions.subject),
                        questions.asked.setup.lease_name};
  const auto held = find_held_leases(questions.asked.ask, lease, questions.now);
  const bool led = held && !held->leases.empty();
  found.add(led ? Health::kWarning : Health::kError, "held-places",
            told(places) + (led ? "" : "; and no Winnow is seen that would take them back"),
            led ? "docs/operate.md, \"WinnowPlaceHeldForNobody\"" : "winnow withdraw");
}

}  // namespace winnow
