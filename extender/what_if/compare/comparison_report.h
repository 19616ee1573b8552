// A comparison as JSON for programs, and as a table for people.
#pragma once

#include <string>

#include "extender/what_if/simulate/simulation_report.h"

namespace winnow {

struct Comparison;
struct ReportOptions;

/// Writes one object, piece by piece. docs/what-if.md has its fields. A detail that the result has is one of
/// them. Ends with a newline.
void write_json(const Comparison& result, WriteText write);

// A comparison as a table for people.

/// Appends the configurations, how many pods differ, the causes by their number of pods, the pods that fit
/// nowhere under one side only, the pods that differ, and what nodes hold under both: about a screen. With
/// ReportOptions::all_pods the lists are whole. Ends with a newline. Texts of the cluster cannot steer the
/// terminal.
void append_comparison(std::string& out, const Comparison& result, const ReportOptions& options);

/// Appends what both sides say of one pod: their choices, what turned them, the scores by rule and the
/// refusals. @param result  with a detail.
void append_detail(std::string& out, const Comparison& result, const ReportOptions& options);

}  // namespace winnow
