// Records in one block of memory each. Thousands are kept, and a record of many small blocks takes longer to
// keep and to drop than a call should take.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "extender/decisions/decision_record.h"

namespace winnow {

/// The record without its names of rules.
std::string pack(const DecisionRecord& record);

/// The pod of a packed record.
std::string_view packed_pod(std::string_view packed);

/// The record of pack(), in this process. @param rules  its names of rules.
DecisionRecord unpack(std::string_view packed, std::shared_ptr<const RuleNames> rules);

}  // namespace winnow
