// Internal to extender/metrics: tables of series, one row for each member of a struct of figures.
#pragma once

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/registry.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace winnow {

using CounterFamily = prometheus::Family<prometheus::Counter>;
using GaugeFamily = prometheus::Family<prometheus::Gauge>;

inline CounterFamily& counters(prometheus::Registry& registry, const char* name, const char* help) {
  return prometheus::BuildCounter().Name(name).Help(help).Register(registry);
}
inline GaugeFamily& gauges(prometheus::Registry& registry, const char* name, const char* help) {
  return prometheus::BuildGauge().Name(name).Help(help).Register(registry);
}

/// Counters that follow totals which are kept elsewhere. When a total is less than before, all totals of the
/// call have restarted at 0: their values are then added to the counters. One thread at a time.
class Totals {
 public:
  struct Total {
    prometheus::Counter* counter;
    std::uint64_t now;
  };
  void set(std::span<const Total> totals) {
    if (std::ranges::any_of(totals, [&](const Total& total) { return total.now < last_[total.counter]; }))
      last_.clear();
    for (const auto& [counter, now] : totals)
      counter->Increment(static_cast<double>(now - std::exchange(last_[counter], now)));
  }

 private:
  std::map<prometheus::Counter*, std::uint64_t> last_;
};

/// A gauge, and the figure that is its value: `&figure<&StateFigures::nodes>`.
template <class Figures>
struct GaugeRow {
  const char* name;
  const char* help;
  double (*value)(const Figures&);
};
template <auto kMember, class Figures>
double figure(const Figures& figures) {
  return static_cast<double>(figures.*kMember);
}

/// The gauges of a table. One thread at a time.
template <class Figures>
class GaugeTable {
 public:
  /// @param rows  outlive this, as the registry does.
  GaugeTable(prometheus::Registry& registry, std::span<const GaugeRow<Figures>> rows) : rows_(rows) {
    for (const GaugeRow<Figures>& row : rows)
      gauges_.push_back(&gauges(registry, row.name, row.help).Add({}));
  }
  void set(const Figures& figures) {
    for (std::size_t i = 0; i < rows_.size(); ++i) gauges_[i]->Set(rows_[i].value(figures));
  }

 private:
  std::span<const GaugeRow<Figures>> rows_;
  std::vector<prometheus::Gauge*> gauges_;  ///< By row.
};

/// A counter, and the total that it follows. Rows of equal names have equal helps, and differ in the label.
template <class Figures>
struct TotalRow {
  const char* name;
  const char* help;
  std::uint64_t Figures::* value;
  const char* label = "";  ///< "": no label.
  const char* label_value = "";
};

/// The counters of a table, whose totals restart together (Totals). One thread at a time.
template <class Figures>
class TotalTable {
 public:
  /// @param rows  outlive this, as the registry does.
  TotalTable(prometheus::Registry& registry, std::span<const TotalRow<Figures>> rows) : rows_(rows) {
    for (const TotalRow<Figures>& row : rows) {
      const prometheus::Labels labels =
          *row.label == '\0' ? prometheus::Labels() : prometheus::Labels{{row.label, row.label_value}};
      counters_.push_back(&counters(registry, row.name, row.help).Add(labels));
    }
  }
  void set(const Figures& figures) {
    std::vector<Totals::Total> totals;
    for (std::size_t i = 0; i < rows_.size(); ++i) totals.push_back({counters_[i], figures.*rows_[i].value});
    totals_.set(totals);
  }

 private:
  std::span<const TotalRow<Figures>> rows_;
  std::vector<prometheus::Counter*> counters_;  ///< By row.
  Totals totals_;
};

}  // namespace winnow
