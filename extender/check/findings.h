// The findings of `winnow check` and `winnow doctor`.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace winnow {

/// One finding.
struct Finding {
  /// Pods would be placed or evicted wrongly, or Winnow would not be called. False: a warning.
  bool is_error = false;
  std::string where;  ///< The JSON path: `extenders[0].filterVerb`.
  std::string what;   ///< One line: the problem, and what is expected.
  std::string mend;   ///< The line of the file that mends it, `filterVerb: filter`, or what is to be done.
};

/// A list of findings that checks append to.
class Findings {
 public:
  void error(std::string where, std::string what, std::string mend) {
    add(true, std::move(where), std::move(what), std::move(mend));
  }
  void warning(std::string where, std::string what, std::string mend) {
    add(false, std::move(where), std::move(what), std::move(mend));
  }
  void add(bool is_error, std::string where, std::string what, std::string mend) {
    all_.push_back({is_error, std::move(where), std::move(what), std::move(mend)});
  }
  std::vector<Finding> take() { return std::move(all_); }

 private:
  std::vector<Finding> all_;
};

}  // namespace winnow
