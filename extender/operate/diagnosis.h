// What one check of `winnow doctor` has found, and what the command prints.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace winnow {

enum class Health : std::uint8_t {
  kOk,
  kSkipped,  ///< There was nothing to look at, or it may not be looked at.
  kWarning,  ///< It works, and will surprise.
  kError,    ///< Pods are placed wrongly, or wait, or Winnow is of no use.
};

struct Diagnosis {
  Health health = Health::kOk;
  std::string check;  ///< "rights"
  std::string what;   ///< One line: what is right, what is wrong, or why nothing was looked at.
  std::string mend;   ///< The line of a file, or the command, that mends it; "" if nothing is to be mended.
};

/// What checks append to.
class Diagnoses {
 public:
  void ok(std::string check, std::string what) { add(Health::kOk, std::move(check), std::move(what), ""); }
  void skipped(std::string check, std::string why) {
    add(Health::kSkipped, std::move(check), std::move(why), "");
  }
  void warning(std::string check, std::string what, std::string mend) {
    add(Health::kWarning, std::move(check), std::move(what), std::move(mend));
  }
  void error(std::string check, std::string what, std::string mend) {
    add(Health::kError, std::move(check), std::move(what), std::move(mend));
  }
  void add(Health health, std::string check, std::string what, std::string mend) {
    all_.push_back({health, std::move(check), std::move(what), std::move(mend)});
  }

  const std::vector<Diagnosis>& all() const { return all_; }
  /// Whether one of them is an error.
  bool has_errors() const {
    for (const Diagnosis& one : all_)
      if (one.health == Health::kError) return true;
    return false;
  }

 private:
  std::vector<Diagnosis> all_;
};

// What `winnow doctor` prints.

/// A line for each check, what mends it in a line below, and a last line with the counts. Texts that are very
/// long are cut, and what could steer a terminal is replaced, here and in JSON.
std::string report_text(const Diagnoses& found);

/// One object, in one line:
/// {"ok":false,"errors":1,"warnings":0,"checks":[{"result":"error","check":"rights", "what":…,"mend":…},…]}.
/// `mend` is left out where there is nothing to mend. `ok` is whether there is no error.
std::string report_json(const Diagnoses& found);

}  // namespace winnow
