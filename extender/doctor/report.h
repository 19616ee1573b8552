// What `winnow doctor` prints.
#pragma once

#include <string>

#include "extender/doctor/diagnosis.h"

namespace winnow {

/// A line for each check, what mends it in a line below, and a last line with the counts. Texts that are very
/// long are cut, and what could steer a terminal is replaced, here and in JSON.
std::string report_text(const Diagnoses& found);

/// One object, in one line:
/// {"ok":false,"errors":1,"warnings":0,"checks":[{"result":"error","check":"rights", "what":…,"mend":…},…]}.
/// `mend` is left out where there is nothing to mend. `ok` is whether there is no error.
std::string report_json(const Diagnoses& found);

}  // namespace winnow
