#include "extender/explain/decision_ring.h"

#include <bit>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "cluster/rule/cause.h"
#include "cluster/text/keyed_hash.h"
#include "extender/engine/ruleset.h"

namespace winnow {
namespace {

template <class T>
concept Plain = std::integral<T> || std::is_enum_v<T>;

/// Calls `part` with each member of a record, or of a part of one. It is the same for both directions.
template <class Part>
void parts_of(auto& reason, Part&& part)
  requires requires { reason.text; }
{
  part(reason.text), part(reason.nodes);
}
template <class Part>
void parts_of(auto& refused, Part&& part)
  requires requires { refused.reasons; }
{
  part(refused.rule), part(refused.nodes), part(refused.reasons), part(refused.other_reasons);
}
template <class Part>
void parts_of(auto& field, Part&& part)
  requires requires { field.first; }
{
  part(field.first), part(field.second);
}
template <class Part>
void parts_of(auto& cause, Part&& part)
  requires requires { cause.kind; }
{
  part(cause.kind), part(cause.fields);
}
template <class Part>
void parts_of(auto& refusal, Part&& part)
  requires requires { refusal.causes; }
{
  part(refusal.rule), part(refusal.causes);
}
template <class Part>
void parts_of(auto& near, Part&& part)
  requires requires { near.refusals; }
{
  part(near.node), part(near.refusals);
}
template <class Part>
void parts_of(auto& node, Part&& part)
  requires requires { node.scores; }
{
  part(node.node), part(node.total), part(node.scores);
}
template <class Part>
void parts_of(auto& record, Part&& part)
  requires requires { record.verb; }
{
  part(record.uid), part(record.request_id), part(record.verb), part(record.nodes),
      part(record.unknown_nodes);
  part(record.fits), part(record.scored), part(record.refused), part(record.best), part(record.given);
  part(record.error), part(record.victims), part(record.more_victims), part(record.resource_version);
  part(record.refused_there), part(record.nominated), part(record.known_refusal), part(record.nearest);
}

/// Writes a record, or only counts its bytes. The block is made to the counted size, so writing checks no
/// room.
template <bool kWrites>
class Packer {
 public:
  explicit Packer(char* to) : at_(to) {}
  std::size_t size() const { return size_; }

  template <Plain T>
  void operator()(const T& value) {
    put(&value, sizeof value);
  }
  void operator()(const std::string& value) {
    (*this)(static_cast<std::uint32_t>(value.size()));
    put(value.data(), value.size());
  }
  template <class T>
  void operator()(const std::vector<T>& list) {
    (*this)(static_cast<std::uint32_t>(list.size()));
    for (const T& element : list) (*this)(element);
  }
  void operator()(const Cause::Value& value) {
    (*this)(static_cast<std::uint8_t>(value.index()));
    std::visit([this](const auto& held) { (*this)(held); }, value);
  }
  template <class T>
  void operator()(const T& value) {
    parts_of(value, *this);
  }

 private:
  void put(const void* from, std::size_t bytes) {
    if constexpr (kWrites) {
      std::memcpy(at_, from, bytes);
      at_ += bytes;
    }
    size_ += bytes;
  }

  char* at_;
  std::size_t size_ = 0;
};

/// @return the bytes.
template <bool kWrites>
std::size_t pack_to(char* to, const DecisionRecord& record) {
  Packer<kWrites> packer(to);
  packer(record.pod);  // First: see packed_pod().
  packer(record.time.time_since_epoch().count());
  packer(record.cache_age.count());
  packer(record);
  return packer.size();
}

class Unpacker {
 public:
  explicit Unpacker(std::string_view packed) : left_(packed) {}

  template <Plain T>
  void operator()(T& value) {
    std::memcpy(&value, left_.data(), sizeof value);
    left_.remove_prefix(sizeof value);
  }
  void operator()(std::string& value) { value = take_text(); }
  std::string_view take_text() {
    const std::uint32_t size = take_size();
    const std::string_view text = left_.substr(0, size);
    left_.remove_prefix(size);
    return text;
  }
  template <class T>
  void operator()(std::vector<T>& list) {
    list.resize(take_size());
    for (T& element : list) (*this)(element);
  }
  void operator()(Cause::Value& value) {
    std::uint8_t index = 0;
    (*this)(index);
    if (index == 1) value.emplace<1>();
    if (index == 2) value.emplace<2>();
    std::visit([this](auto& held) { (*this)(held); }, value);
  }
  template <class T>
  void operator()(T& value) {
    parts_of(value, *this);
  }

 private:
  std::uint32_t take_size() {
    std::uint32_t size = 0;
    (*this)(size);
    return size;
  }

  std::string_view left_;
};

}  // namespace

std::shared_ptr<char[]> RecordMemory::take(std::size_t bytes) {
  // A large one alone leaves less of a piece unused.
  if (bytes > kPieceBytes / 8) return std::make_shared_for_overwrite<char[]>(bytes);
  if (bytes > left_) {
    piece_ = std::make_shared_for_overwrite<char[]>(kPieceBytes);
    left_ = kPieceBytes;
  }
  char* const block = piece_.get() + (kPieceBytes - left_);
  left_ -= bytes;
  return {piece_, block};
}

PackedRecord::PackedRecord(const DecisionRecord& record, RecordMemory& memory)
    : size_(pack_to<false>(nullptr, record)) {
  std::shared_ptr<char[]> block = memory.take(size_);
  pack_to<true>(block.get(), record);
  block_ = std::move(block);
}

std::string pack(const DecisionRecord& record) {
  std::string packed(pack_to<false>(nullptr, record), '\0');
  pack_to<true>(packed.data(), record);
  return packed;
}

std::string_view packed_pod(std::string_view packed) { return Unpacker(packed).take_text(); }

DecisionRecord unpack(std::string_view packed, std::shared_ptr<const RuleNames> rules) {
  Unpacker unpacker(packed);
  DecisionRecord record;
  DecisionRecord::Time::rep time = 0;
  std::chrono::milliseconds::rep age = 0;
  unpacker(record.pod);
  unpacker(time);
  unpacker(age);
  unpacker(record);
  record.time = DecisionRecord::Time(DecisionRecord::Time::duration(time));
  record.cache_age = std::chrono::milliseconds(age);
  record.rules = std::move(rules);
  return record;
}

// Pods are found without a map of their names: a bucket leads to the newest decision about a pod, and that
// one to the newest about another pod of the bucket. So to add a decision, or to drop one, takes no memory
// and gives none back but the record's own.

DecisionRing::DecisionRing(std::size_t most, std::size_t most_bytes)
    : most_(most), most_bytes_(most_bytes), newest_(std::bit_ceil(most)) {}

DecisionRing::Chain DecisionRing::find(std::string_view pod) const {
  const std::size_t hash = TextHash()(pod);
  Number number = newest_[bucket_of(hash)];
  while (number != 0) {
    const Slot& slot = (*this)[number];
    if (slot.hash == hash && packed_pod(slot.kept.record.text()) == pod) break;
    number = slot.next;
  }
  return {hash, number};
}

void DecisionRing::make_room(std::size_t bytes) {
  while (size() >= most_ || (size() > 0 && bytes_ + bytes > most_bytes_)) drop_oldest();
}

DecisionRing::Number DecisionRing::add(Kept kept, const Chain& of) {
  const Number number = last_ + 1;
  const std::size_t at = number % most_;
  if (slots_.size() <= at) slots_.resize(at + 1);
  Slot& slot = slots_[at];
  slot.pod = {};
  slot.before = of.newest;
  slot.hash = of.hash;
  slot.is_newest = true;
  if (of.newest != 0) {
    Slot& older = (*this)[of.newest];
    slot.pod = older.pod;
    slot.next = older.next;
    older.is_newest = false;
    link_to(older, of.newest) = number;
  } else {
    slot.next = std::exchange(newest_[bucket_of(of.hash)], number);
  }
  bytes_ += kept.bytes();
  slot.kept = std::move(kept);
  last_ = number;
  return number;
}

void DecisionRing::replace(Number number, PackedRecord record) {
  Kept& kept = (*this)[number].kept;
  bytes_ += record.size() - kept.record.size();
  kept.record = std::move(record);
}

void DecisionRing::replace(Number number, std::shared_ptr<const DecisionEnding> ending) {
  Kept& kept = (*this)[number].kept;
  bytes_ -= kept.bytes();
  kept.ending = std::move(ending);
  bytes_ += kept.bytes();
}

void DecisionRing::drop_oldest() {
  const Number number = oldest_++;
  Slot& slot = (*this)[number];
  bytes_ -= slot.kept.bytes();
  if (slot.is_newest) link_to(slot, number) = slot.next;
  slot.kept = {};
}

DecisionRing::Number& DecisionRing::link_to(const Slot& slot, Number number) {
  Number* link = &newest_[bucket_of(slot.hash)];
  while (*link != number) link = &(*this)[*link].next;
  return *link;
}

}  // namespace winnow
