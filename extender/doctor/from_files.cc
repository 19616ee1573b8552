// The checks of files: those of `winnow check`, each with what mends it.
#include <format>

#include "cluster/access/server_url.h"
#include "extender/check/setup_check.h"
#include "extender/doctor/doctor.h"

namespace winnow {

namespace {

/// Whether kube-scheduler asks a Winnow beside the nominations. Any other extender is none, even if it is the
/// only one.
bool asks_winnow(const SchedulerSetup& setup, const StartFlags& flags) {
  const ExtenderStanza* const found = find_winnow(setup, flags);
  if (found == nullptr) return false;
  const auto url = live::parse_server_url(found->url_prefix);
  return url && url->port == flags.port.value_or(kDefaultPort);
}

void check_beside_nominations(const SchedulerFile& file, Diagnoses& found) {
  found.ok("scheduler-config",
           file.name + ": kube-scheduler asks no Winnow, as it is where Winnow nominates");
  for (const ExtenderStanza& other : file.setup.extenders)
    if (!other.filter_verb.empty())
      found.warning("scheduler-config",
                    std::format("{}: {}.filterVerb: Winnow does not ask this extender, so what it refuses is "
                                "nominated in vain",
                                file.name, other.path),
                    "nominate for the profiles alone whose pods it has no say in: --nominate-schedulers=A,B");
}

}  // namespace

void examine_files(const SchedulerFile& file, const LoadedRules& rules, const DoctorSetup& setup,
                   Diagnoses& found) {
  // A nominator is not asked: kube-scheduler's file needs nothing for it.
  if (setup.nominate && !asks_winnow(file.setup, setup.start)) return check_beside_nominations(file, found);
  bool has_findings = false;
  for (const Finding& one : check_setup(file.setup, rules.sets, setup.start)) {
    found.add(one.is_error ? Health::kError : Health::kWarning, "scheduler-config",
              std::format("{}: {}: {}", file.name, one.where, one.what), one.mend);
    has_findings = true;
  }
  if (!has_findings) found.ok("scheduler-config", file.name + ": it fits Winnow's rules and flags");
}

}  // namespace winnow
