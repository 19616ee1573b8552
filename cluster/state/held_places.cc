#include "cluster/state/held_places.h"

#include <algorithm>
#include <format>
#include <tuple>

#include "cluster/state/state.h"

namespace winnow {
namespace {

using std::chrono::duration;

/// A place, as far as it costs nothing to tell.
struct Held {
  PodId pod = kNone;  ///< kNone: the state does not have it any more.
  const std::string* node = nullptr;
  HeldBy by = HeldBy::kNomination;
  HeldTried tried = HeldTried::kNever;
  const std::string* manager = nullptr;  ///< Null: not told.
  std::optional<AssumedPods::Time> since;
  std::optional<std::int64_t> at;  ///< In seconds since 1970; tells more of a nomination that was found.
};

Held of_entry(const State& state, const AssumedPods::Entry& entry) {
  Held held{.pod = state.find_pod(entry.ns, entry.name), .node = &entry.node, .since = entry.since};
  held.by = entry.bound ? HeldBy::kBinding : entry.nomination ? HeldBy::kNomination : HeldBy::kAnswer;
  if (held.by != HeldBy::kNomination || entry.doubted)
    held.tried = HeldTried::kSince;
  else if (entry.refused)
    held.tried = HeldTried::kBefore;
  if (held.by == HeldBy::kNomination && entry.nominated == entry.node)
    held.at = entry.pod.status.nominated_at;
  return held;
}

Held of_nomination(PodId pod, const NominatedPods::Nomination& nomination) {
  const bool ours = nomination.by == kWinnowNominates;
  Held held{.pod = pod,
            .node = &nomination.node,
            .by = ours ? HeldBy::kNomination : HeldBy::kOtherNomination,
            .tried = nomination.refused ? HeldTried::kBefore : HeldTried::kNever,
            .manager = &nomination.by,
            .at = nomination.at};
  // It nominates what it has tried.
  if (nomination.by == kSchedulerNominates) held.tried = HeldTried::kSince;
  return held;
}

template <class Visit>
void for_each_held(const State& state, const AssumedPods* assumed, const Visit& visit) {
  if (assumed != nullptr)
    for (const AssumedPods::Entry& entry : assumed->entries()) visit(of_entry(state, entry));
  for (const auto& [node, pods] : state.nominated().by_node())
    for (const PodId pod : pods) visit(of_nomination(pod, *state.nominated().find(pod)));
}

/// A nomination that this Winnow has found, as after a restart, stands for longer than it knows.
std::optional<double> age_of(const Held& held, const HeldClocks& now) {
  std::optional<double> age;
  if (held.since) age = duration<double>(now.steady - *held.since).count();
  if (held.at) {
    const auto wall = duration<double>(now.wall.time_since_epoch()).count();
    age = std::max(age.value_or(0), wall - static_cast<double>(*held.at));
  }
  return age;
}

void put_amounts(const State& state, const PodRecord& record, HeldPlace& place) {
  const Footprint& footprint = state.footprint(record);
  place.milli_cpu = footprint.requests.milli_cpu;
  place.memory = footprint.requests.memory;
  place.ephemeral_storage = footprint.requests.ephemeral_storage;
  for (const auto& [symbol, amount] : footprint.scalars)
    if (amount != 0) place.others.emplace_back(state.names().symbols[symbol], amount);
}

/// "3" of 3000 thousandths of a core, "500m" of half of one.
std::string cpu_text(std::int64_t milli) {
  return milli % 1000 == 0 ? std::to_string(milli / 1000) : std::format("{}m", milli);
}

/// "2Gi": the largest unit that leaves no fraction; else one place of it.
std::string bytes_text(std::int64_t bytes) {
  constexpr std::pair<std::int64_t, std::string_view> kUnits[] = {
      {std::int64_t{1} << 30, "Gi"}, {std::int64_t{1} << 20, "Mi"}, {std::int64_t{1} << 10, "Ki"}};
  for (const auto& [unit, name] : kUnits) {
    if (bytes < unit) continue;
    return bytes % unit == 0
               ? std::format("{}{}", bytes / unit, name)
               : std::format("{:.1f}{}", static_cast<double>(bytes) / static_cast<double>(unit), name);
  }
  return std::to_string(bytes);
}

std::string amounts_text(const HeldPlace& place) {
  std::string text;
  const auto add = [&text](const std::string& amount, std::string_view resource) {
    text += std::format("{}{} {}", text.empty() ? "" : ", ", amount, resource);
  };
  if (place.milli_cpu != 0) add(cpu_text(place.milli_cpu), "cpu");
  if (place.memory != 0) add(bytes_text(place.memory), "memory");
  if (place.ephemeral_storage != 0) add(bytes_text(place.ephemeral_storage), "ephemeral-storage");
  for (const auto& [resource, amount] : place.others) add(std::to_string(amount), resource);
  return text;
}

/// "40 s ago", "3 min ago", "5 h ago"; "": it is not known.
std::string age_text(const std::optional<double>& seconds) {
  if (!seconds) return {};
  const double age = std::max(0.0, *seconds);
  if (age < 120) return std::format(" {:.0f} s ago", age);
  return age < 7200 ? std::format(" {:.0f} min ago", age / 60) : std::format(" {:.0f} h ago", age / 3600);
}

std::string evidence_text(const HeldPlace& place) {
  const std::string age = age_text(place.seconds);
  if (place.by == HeldBy::kAnswer) return "chosen" + age + " in an answer to kube-scheduler";
  if (place.by == HeldBy::kBinding) return "bound" + age + ", and not seen there yet";
  std::string text = "nominated";
  if (place.by == HeldBy::kOtherNomination) text += place.manager.empty() ? "" : " by " + place.manager;
  text += age;
  if (place.tried == HeldTried::kNever) return text + ", never tried";
  return place.tried == HeldTried::kBefore ? text + ", not tried since" : text;
}

/// The value whose word it is.
template <class Value>
std::optional<Value> value_of(std::string_view word, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    if (to_string(static_cast<Value>(i)) == word) return static_cast<Value>(i);
  return std::nullopt;
}

}  // namespace

std::string_view to_string(HeldBy by) {
  constexpr std::string_view kTexts[kHeldBys] = {"nomination", "otherNomination", "answer", "binding"};
  return kTexts[static_cast<std::size_t>(by)];
}

std::string_view to_string(HeldTried tried) {
  constexpr std::string_view kTexts[kHeldTrieds] = {"never", "before", "since"};
  return kTexts[static_cast<std::size_t>(tried)];
}

std::optional<HeldBy> held_by_of(std::string_view word) { return value_of<HeldBy>(word, kHeldBys); }

std::optional<HeldTried> held_tried_of(std::string_view word) {
  return value_of<HeldTried>(word, kHeldTrieds);
}

std::vector<HeldPlace> held_places(const State& state, const AssumedPods* assumed,
                                   const std::optional<HeldClocks>& now) {
  std::vector<HeldPlace> places;
  for_each_held(state, assumed, [&](const Held& held) {
    if (held.pod == kNone) return;
    const PodRecord& record = state.pod(held.pod);
    HeldPlace& place = places.emplace_back();
    place.ns = state.pod_namespace(record);
    place.name = record.name;
    place.node = *held.node;
    place.by = held.by;
    if (held.manager) place.manager = *held.manager;
    if (held.by == HeldBy::kNomination) place.manager = kWinnowNominates;
    place.tried = held.tried;
    if (now) place.seconds = age_of(held, *now);
    put_amounts(state, record, place);
    place.priority = state.spec(record).priority.value_or(0);
    place.counted = record.assigned;
  });
  std::ranges::sort(places, {},
                    [](const HeldPlace& place) { return std::tie(place.node, place.ns, place.name); });
  return places;
}

HeldFigures held_figures(const State& state, const AssumedPods& assumed, const HeldClocks& now) {
  HeldFigures figures;
  for_each_held(state, &assumed, [&](const Held& held) {
    const bool ours = held.by == HeldBy::kNomination;
    ++(ours                                  ? figures.nominations
       : held.by == HeldBy::kOtherNomination ? figures.other_nominations
                                             : figures.assumptions);
    if (ours && held.tried == HeldTried::kNever)
      figures.untried_seconds = std::max(figures.untried_seconds, age_of(held, now).value_or(0));
  });
  return figures;
}

std::string to_text(const HeldPlace& place) {
  const std::string amounts = amounts_text(place);
  return std::format("{} on {} {} held for {}, {}", amounts.empty() ? "a place" : amounts, place.node,
                     amounts.empty() ? "is" : "are", place.pod(), evidence_text(place));
}

}  // namespace winnow
