#include "extender/explain/outlook.h"

#include <algorithm>
#include <format>
#include <ranges>

#include "cluster/text/printable.h"
#include "extender/explain/text.h"

namespace winnow {
namespace {

/// The most victims that are named, unless all nodes are shown.
constexpr std::size_t kMaxVictims = 8;

/// The most held places that are named, unless all nodes are shown.
constexpr std::size_t kMaxHeld = 4;

std::string refusal(const RefusalEntry& refused) {
  std::string text = refused.times == 1
                         ? std::format("Refused {:.1f} s ago.", refused.seconds)
                         : std::format("Refused {} times in a row, the last time {:.1f} s ago.",
                                       refused.times, refused.seconds);
  if (refused.would_fit_on)
    text += std::format(" For {:.1f} s it would have fitted on {}.", refused.would_fit_seconds,
                        *refused.would_fit_on);
  return text;
}

std::string victims(const PreemptionPreview& preview, bool all) {
  std::string text;
  const std::size_t count = preview.victims.size();
  const std::size_t shown = all || count <= kMaxVictims + 1 ? count : kMaxVictims;
  for (std::size_t i = 0; i < shown; ++i) text += (i == 0 ? "" : ", ") + preview.victims[i];
  if (shown < count) text += std::format(" and {} more", with_thousands(count - shown));
  return text;
}

std::string preemption(const PreemptionPreview& preview, bool all) {
  // In the words that kube-scheduler writes into the pod's events.
  std::string text = "preemption: " + preview.message;
  if (!preview.node.empty()) {
    text = std::format("preemption: by these rules it would evict {} on {}", victims(preview, all),
                       preview.node);
    if (preview.violations > 0)
      text += std::format(", {} of them against a disruption budget",
                          with_thousands(static_cast<std::size_t>(preview.violations)));
  }
  if (preview.judged < preview.candidates)
    text += std::format(" ({} of {} were asked about)", with_thousands(preview.judged),
                        count_nodes(preview.candidates));
  if (preview.in_vain) text.append("; ").append(kInVainNote);
  return text;
}

}  // namespace

std::string waits_for_gates(const std::vector<std::string>& gates) {
  std::string text = "waits for its scheduling gates: ";
  for (const std::string& gate : gates) text += (&gate == &gates.front() ? "" : ", ") + gate;
  return text;
}

void append_outlook(std::string& out, const Explanation& explanation, const TableOptions& options) {
  const auto say = [&](const std::string& text) {
    append_paragraph(out, printable(text), {.width = line_width(options), .prefix = "  ", .indent = 4});
  };
  for (const std::string& what : explanation.not_judged) say("not judged: " + what);
  if (explanation.assumed) say("On its way to " + *explanation.assumed + ".");
  if (explanation.nominated)
    say("Nominated for " + *explanation.nominated +
        (explanation.nominated_by ? " by " + *explanation.nominated_by : "") + ".");
  if (explanation.not_nominated) say("Not nominated: " + *explanation.not_nominated + ".");
  if (explanation.refused) say(refusal(*explanation.refused));
  const std::size_t held = options.all_nodes ? explanation.held.size() : kMaxHeld;
  for (const HeldPlace& place : explanation.held | std::views::take(held))
    say("Held: " + to_text(place) + ".");
  if (explanation.held.size() > held)
    say(std::format("Held: {} more places.", with_thousands(explanation.held.size() - held)));
  if (explanation.preemption) say(preemption(*explanation.preemption, options.all_nodes));
}

}  // namespace winnow
