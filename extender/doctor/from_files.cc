// The checks of files: those of `winnow check`, each with what mends it.
#include <format>

#include "extender/check/setup_check.h"
#include "extender/doctor/doctor.h"

namespace winnow {

void examine_files(const SchedulerFile& file, const LoadedRules& rules, const DoctorSetup& setup,
                   Diagnoses& found) {
  // A nominator is not asked: kube-scheduler's file needs nothing for it.
  if (setup.nominate && find_winnow(file.setup, setup.start) == nullptr)
    return found.ok("scheduler-config",
                    file.name + ": kube-scheduler asks no Winnow, as it is where Winnow nominates");
  bool has_findings = false;
  for (const Finding& one : check_setup(file.setup, rules.sets, setup.start)) {
    found.add(one.is_error ? Health::kError : Health::kWarning, "scheduler-config",
              std::format("{}: {}: {}", file.name, one.where, one.what), one.mend);
    has_findings = true;
  }
  if (!has_findings) found.ok("scheduler-config", file.name + ": it fits Winnow's rules and flags");
}

}  // namespace winnow
