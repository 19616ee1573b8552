// Pods are found without a map of their names: a bucket leads to the newest decision about a pod, and that
// one to the newest about another pod of the bucket. So to add a decision, or to drop one, takes no memory
// and gives none back but the record's own.
#include "extender/decisions/decision_ring.h"

#include <bit>
#include <utility>

#include "cluster/text/keyed_hash.h"

namespace winnow {

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
