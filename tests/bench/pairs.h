// Comparisons that hold on a noisy machine: both sides in turn in one run, and the median of what they cost.
#pragma once

#include <algorithm>
#include <ctime>
#include <vector>

namespace winnow::bench {

/// Processor time of this thread (or of the whole process) in nanoseconds.
inline double cpu_nanoseconds(clockid_t clock = CLOCK_THREAD_CPUTIME_ID) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

/// What work() costs on this clock.
template <class Work>
double cost(Work&& work, clockid_t clock = CLOCK_THREAD_CPUTIME_ID) {
  const double start = cpu_nanoseconds(clock);
  work();
  return cpu_nanoseconds(clock) - start;
}

inline double percentile(std::vector<double> values, double share) {
  std::ranges::sort(values);
  return values.empty() ? 0
                        : values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}
inline double median(const std::vector<double>& values) { return percentile(values, 0.5); }

/// Round by round, a over b.
inline std::vector<double> ratios(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> out;
  for (std::size_t i = 0; i < a.size(); ++i) out.push_back(a[i] / b[i]);
  return out;
}

}  // namespace winnow::bench
