// The findings of `winnow check` and `winnow doctor`.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/text/printable.h"

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
  void error(std::string_view where, std::string_view what, std::string_view mend) {
    add(true, where, what, mend);
  }
  void warning(std::string_view where, std::string_view what, std::string_view mend) {
    add(false, where, what, mend);
  }
  void add(bool is_error, std::string_view where, std::string_view what, std::string_view mend) {
    all_.push_back({is_error, one_line(where, kMostLineBytes), one_line(what, kMostLineBytes),
                    one_line(mend, kMostLineBytes)});
  }
  std::vector<Finding> take() { return std::move(all_); }

 private:
  std::vector<Finding> all_;
};

}  // namespace winnow
