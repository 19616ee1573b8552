// The ring that decisions are kept in, by number and by pod, and its records in one block of memory each.
// Thousands are kept. A record of many small blocks takes longer to keep and to drop than a call should take.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "extender/explain/decision_record.h"

namespace winnow {

struct RuleNames;

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

// The ring that decisions are kept in: by number, and by pod.

/// The last decisions. Each has a number, one more than the one before, which says where it is and whether it
/// is still there. Those about the pods of one name are a chain from the newest on. Not thread-safe.
class DecisionRing {
 public:
  using Number = std::uint64_t;  ///< Of a decision, from 1 on; 0: none.

  /// A decision as it is kept. A copy shares all parts.
  struct Kept {
    PackedRecord record;
    std::shared_ptr<const RuleNames> rules;
    std::shared_ptr<const DecisionEnding> ending;  ///< Null: no more is known than the record says.

    DecisionRecord unpacked() const { return unpack(record.text(), rules); }
    std::size_t bytes() const { return record.size() + (ending ? ending->bytes() : 0); }
  };
  /// What is known of the pods of one name; it stays with their newest decision.
  struct OfPod {
    std::size_t uid = 0;  ///< The hash of the newest decision's UID: those that wait have the same.
    /// By verb, the one that has not ended; 0: none. A later one of the same verb ends it. It may have been
    /// dropped: see has().
    std::array<Number, kDecisionVerbs> waiting{};
  };
  struct Slot {
    Kept kept;
    OfPod pod;          ///< Of the newest decision about the pod alone.
    Number before = 0;  ///< The decision about the pod before; it may have been dropped.

   private:
    friend class DecisionRing;
    std::size_t hash = 0;    ///< Of the pod's name.
    Number next = 0;         ///< In the bucket, another pod's newest decision.
    bool is_newest = false;  ///< About its pod.
  };
  /// Where a pod's decisions are. Valid until the next change.
  struct Chain {
    std::size_t hash = 0;
    Number newest = 0;  ///< 0: the pod has none.
  };

  /// @param most  the number of decisions that are kept; at least 1.
  /// @param most_bytes  how many bytes of Kept, unless one decision alone has more.
  DecisionRing(std::size_t most, std::size_t most_bytes);

  bool has(Number number) const { return number >= oldest_ && number <= last_; }
  /// A decision that is there.
  Slot& operator[](Number number) { return slots_[number % most_]; }
  const Slot& operator[](Number number) const { return slots_[number % most_]; }
  Number last() const { return last_; }
  std::size_t size() const { return static_cast<std::size_t>(last_ + 1 - oldest_); }
  std::size_t bytes() const { return bytes_; }

  /// @param pod  NAMESPACE/NAME.
  Chain find(std::string_view pod) const;
  /// Drops the oldest decisions until another one may be added.
  void make_room(std::size_t bytes);
  /// Adds the newest decision. @param of  find() of its pod, after make_room().
  Number add(Kept kept, const Chain& of);
  /// Replaces a part of a decision that is there.
  void replace(Number number, PackedRecord record);
  void replace(Number number, std::shared_ptr<const DecisionEnding> ending);

 private:
  void drop_oldest();
  /// The link in the bucket that leads to a pod's newest decision.
  Number& link_to(const Slot& slot, Number number);
  std::size_t bucket_of(std::size_t hash) const { return hash & (newest_.size() - 1); }

  const std::size_t most_;
  const std::size_t most_bytes_;
  std::vector<Slot> slots_;     // By number modulo most_; grows to that size.
  std::vector<Number> newest_;  // By bucket, the first pod's newest decision.
  Number last_ = 0;
  Number oldest_ = 1;
  std::size_t bytes_ = 0;
};

}  // namespace winnow
