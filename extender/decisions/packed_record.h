// Records in one block of memory each, one behind the other. Thousands are kept, and a record of many small
// blocks takes longer to keep and to drop than a call should take.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "extender/decisions/decision_record.h"

namespace winnow {

/// Memory for packed records. They are made and dropped in about the same order, so many of them lie in one
/// piece, which is freed with the last of them. Not thread-safe; the blocks are, and outlive this.
class RecordMemory {
 public:
  std::shared_ptr<char[]> take(std::size_t bytes);

 private:
  static constexpr std::size_t kPieceBytes = 64 * 1024;

  std::shared_ptr<char[]> piece_;
  std::size_t left_ = 0;  ///< At the end of the piece.
};

/// A record without its names of rules. Copies share the block.
class PackedRecord {
 public:
  PackedRecord() = default;
  PackedRecord(const DecisionRecord& record, RecordMemory& memory);

  std::string_view text() const { return {block_.get(), size_}; }
  std::size_t size() const { return size_; }

 private:
  std::shared_ptr<const char[]> block_;
  std::size_t size_ = 0;
};

/// The text of a packed record, as a copy.
std::string pack(const DecisionRecord& record);

/// The pod of a packed record.
std::string_view packed_pod(std::string_view packed);

/// The record of pack(), in this process. @param rules  its names of rules.
DecisionRecord unpack(std::string_view packed, std::shared_ptr<const RuleNames> rules);

}  // namespace winnow
