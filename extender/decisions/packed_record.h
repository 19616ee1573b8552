// Records in one block of memory each. Thousands are kept, and a record of many small blocks takes longer to
// keep and to drop than a call should take.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "extender/decisions/decision_record.h"

namespace winnow {

/// A record without its names of rules. Copies share the block.
class PackedRecord {
 public:
  PackedRecord() = default;
  explicit PackedRecord(const DecisionRecord& record);

  std::string_view text() const { return {block_.get(), size_}; }
  std::size_t size() const { return size_; }

 private:
  std::shared_ptr<const char[]> block_;
  std::size_t size_ = 0;
};

/// The text of a packed record, as a copy.
inline std::string pack(const DecisionRecord& record) { return std::string(PackedRecord(record).text()); }

/// The pod of a packed record.
std::string_view packed_pod(std::string_view packed);

/// The record of pack(), in this process. @param rules  its names of rules.
DecisionRecord unpack(std::string_view packed, std::shared_ptr<const RuleNames> rules);

}  // namespace winnow
