#include "extender/check/setup_check.h"

#include <algorithm>
#include <format>

#include "cluster/access/server_url.h"
#include "extender/check/together.h"

namespace winnow {

const ExtenderStanza* find_winnow(const SchedulerSetup& setup, const StartFlags& flags) {
  if (setup.extenders.size() == 1) return &setup.extenders.front();
  const auto is_here = [&](const ExtenderStanza& stanza) {
    const auto url = live::parse_server_url(stanza.url_prefix);
    return url && url->port == flags.port.value_or(kDefaultPort);
  };
  const auto found = std::ranges::find_if(setup.extenders, is_here);
  return found == setup.extenders.end() ? nullptr : &*found;
}

std::vector<Finding> check_setup(const SchedulerSetup& setup, const std::vector<RuleSet>& rules,
                                 const StartFlags& flags) {
  Findings findings;
  const ExtenderStanza* const winnow = find_winnow(setup, flags);
  if (winnow == nullptr) {
    findings.error("extenders",
                   setup.extenders.empty()
                       ? "is missing: kube-scheduler does not ask Winnow"
                       : std::format("none of them has Winnow's port, {}", flags.port.value_or(kDefaultPort)),
                   "winnow configure adds Winnow's entry");
    return findings.take();
  }
  check_extender({setup, *winnow, rules, flags}, findings);
  check_profiles({setup, *winnow, rules, flags}, findings);
  return findings.take();
}

}  // namespace winnow
