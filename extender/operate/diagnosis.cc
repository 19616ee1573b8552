#include "extender/operate/diagnosis.h"

#include <algorithm>
#include <cstddef>
#include <format>

#include "cluster/text/characters.h"
#include "cluster/text/json.h"

namespace winnow {
namespace {

std::string_view word_of(Health health) {
  switch (health) {
    case Health::kOk:
      return "ok";
    case Health::kSkipped:
      return "skipped";
    case Health::kWarning:
      return "warning";
    case Health::kError:
      return "error";
  }
  return "";
}

std::ptrdiff_t count_of(const Diagnoses& found, Health health) {
  return std::ranges::count(found.all(), health, &Diagnosis::health);
}

std::string counted(std::ptrdiff_t count, std::string_view what) {
  return std::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

/// A text of others may be of any length, and may try to steer the terminal.
std::string shown(const std::string& text) { return one_line(text, kMostLineBytes); }

}  // namespace

std::string report_text(const Diagnoses& found) {
  std::string text;
  for (const Diagnosis& one : found.all()) {
    text += std::format("{:<8} {}: {}\n", word_of(one.health), one.check, shown(one.what));
    if (!one.mend.empty()) text += std::format("         mend: {}\n", shown(one.mend));
  }
  return text + std::format("{}, {}\n", counted(count_of(found, Health::kError), "error"),
                            counted(count_of(found, Health::kWarning), "warning"));
}

std::string report_json(const Diagnoses& found) {
  std::string text = std::format(R"({{"ok":{},"errors":{},"warnings":{},"checks":[)", !found.has_errors(),
                                 count_of(found, Health::kError), count_of(found, Health::kWarning));
  bool first = true;
  for (const Diagnosis& one : found.all()) {
    text += std::format(R"({}{{"result":"{}","check":"{}","what":)", first ? "" : ",", word_of(one.health),
                        one.check);
    append_quoted(text, shown(one.what));
    if (!one.mend.empty()) {
      text += R"(,"mend":)";
      append_quoted(text, shown(one.mend));
    }
    text += '}';
    first = false;
  }
  return text + "]}\n";
}

}  // namespace winnow
