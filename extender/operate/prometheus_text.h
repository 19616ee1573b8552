// Metrics in Prometheus' text format.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/function_ref.h"

namespace winnow {

struct Sample {
  std::string name;
  std::map<std::string, std::string, std::less<>> labels;
  double value = 0;

  /// The label's value; "" if there is none.
  std::string_view label(std::string_view key) const;
};

using Samples = std::vector<Sample>;

/// Reads the samples. Comments and lines that are no samples are skipped, timestamps are ignored.
/// https://prometheus.io/docs/instrumenting/exposition_formats/, version 0.0.4.
Samples read_prometheus_text(std::string_view text);

/// The sum of the samples with this name for which `counts` is true. Null: of all.
double sum_of(const Samples& samples, std::string_view name, FunctionRef<bool(const Sample&)> counts = {});
/// The largest of them; 0 if there is none.
double most_of(const Samples& samples, std::string_view name);

}  // namespace winnow
