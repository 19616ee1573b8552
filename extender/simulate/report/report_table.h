// A simulation's result as a table for people.
#pragma once

#include <string>

#include "extender/explain/table_options.h"
#include "extender/simulate/result.h"

namespace winnow {

struct ReportOptions {
  TableOptions table;     ///< Width, colour, and whether all nodes are shown.
  bool unicode = true;    ///< Bars of block characters; else ASCII.
  bool all_pods = false;  ///< A line for each pod, and all workloads.
};

/// Appends the headline, the workloads and their nodes, the pods that fit nowhere by reason, what else became
/// of pods, and bars of what zones and nodes hold. Ends with a newline. Texts of the cluster cannot steer the
/// terminal.
void append_report(std::string& out, const SimulationResult& result, const ReportOptions& options);

}  // namespace winnow
