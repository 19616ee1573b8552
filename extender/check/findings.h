// What a check has found.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace winnow {

struct Finding {
  /// Pods are placed or evicted wrongly, or Winnow is not asked. Otherwise it is worth knowing.
  bool is_error = false;
  std::string where;  ///< extenders[0].filterVerb
  std::string what;   ///< In one line: what is wrong, and what is expected.
};

/// Findings in the making.
class Findings {
 public:
  void error(std::string where, std::string what) { add(true, std::move(where), std::move(what)); }
  void warning(std::string where, std::string what) { add(false, std::move(where), std::move(what)); }
  void add(bool is_error, std::string where, std::string what) {
    all_.push_back({is_error, std::move(where), std::move(what)});
  }
  std::vector<Finding> take() { return std::move(all_); }

 private:
  std::vector<Finding> all_;
};

}  // namespace winnow
