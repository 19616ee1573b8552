#include "extender/reuse/kept_answers.h"

#include <algorithm>
#include <cmath>

#include "cluster/memory_budget.h"
#include "cluster/state/state.h"
#include "cluster/state/view.h"

namespace winnow {

ReuseCounts& ReuseCounts::operator+=(const ReuseCounts& other) {
  answers += other.answers;
  redone += other.redone;
  answers_changed += other.answers_changed;
  grouped += other.grouped;
  grouped_by_value += other.grouped_by_value;
  lists_gone_on += other.lists_gone_on;
  checked += other.checked;
  mismatches += other.mismatches;
  classes += other.classes;
  bytes += other.bytes;
  return *this;
}

KeptAnswers::Lease::~Lease() {
  if (class_) all_->give_back(*class_);
}

KeptAnswers::Lease KeptAnswers::take(const Request& request, Question question) {
  if (!options_.enabled || request.nodes.size() < options_.least_nodes || request.view.has_overlay() ||
      !PodClass::has(request.pod))
    return {};
  const MemoryScope kept(nullptr);  // What is kept outlives the request, and has a bound of its own.
  std::shared_ptr<KeptClass> found;
  {
    const MutexLock lock(mutex_);
    Entry& entry = find(request.pod, request.accounting);
    std::uint32_t& questions = entry.questions[static_cast<std::size_t>(question)];
    if (questions < options_.from_question) ++questions;
    if (questions < options_.from_question) return {};
    found = entry.of;
  }
  if (found->taken_.test_and_set(std::memory_order_acquire)) return {};
  Lease lease(*this, std::move(found));
  if (lease->is_off()) return {};
  lease->follow(request.view.state(), reads_);
  return lease;
}

/// The class's entry, which is the latest used from now on.
KeptAnswers::Entry& KeptAnswers::find(const Pod& pod, Accounting accounting) {
  // A pod's nodes are filtered and then scored, and the next pod is often of the same class.
  if (!entries_.empty() && entries_.front().of->of().contains(pod, accounting)) return entries_.front();
  const std::size_t hash = PodClass::hash_of(pod);
  const auto [begin, end] = by_hash_.equal_range(hash);
  for (auto it = begin; it != end; ++it)
    if (it->second->of->of().contains(pod, accounting)) {
      entries_.splice(entries_.begin(), entries_, it->second);
      return entries_.front();
    }
  entries_.push_front({hash, std::make_shared<KeptClass>(PodClass(pod, accounting))});
  try {
    by_hash_.emplace(hash, entries_.begin());
  } catch (...) {
    entries_.pop_front();
    throw;
  }
  bytes_ += entries_.front().bytes = entries_.front().of->bytes();
  make_room();
  return entries_.front();
}

/// Drops the classes that were not used for longest. The latest stays, whatever it takes.
void KeptAnswers::make_room() {
  while (bytes_ > options_.memory && entries_.size() > 1) {
    const Entry& last = entries_.back();
    bytes_ -= last.bytes;
    const auto [begin, end] = by_hash_.equal_range(last.hash);
    by_hash_.erase(std::ranges::find(begin, end, std::prev(entries_.end()),
                                     [](const auto& each) { return each.second; }));
    entries_.pop_back();
  }
}

/// The class's size is known now, so others may have to go.
void KeptAnswers::give_back(KeptClass& one) {
  const MemoryScope kept(nullptr);
  const std::size_t bytes = one.bytes();
  const MutexLock lock(mutex_);
  one.taken_.clear(std::memory_order_release);
  const auto entry = std::ranges::find(entries_, &one, [](const Entry& each) { return each.of.get(); });
  if (entry == entries_.end()) return;  // It has gone while it was in use.
  bytes_ += bytes - std::exchange(entry->bytes, bytes);
  make_room();
}

bool KeptAnswers::count_answer(Question question) {
  std::atomic<std::uint64_t>& answers = answers_[static_cast<std::size_t>(question)];
  const std::uint64_t number = answers.fetch_add(1, std::memory_order_relaxed) + 1;
  if (options_.check <= 0) return false;
  // Every so often, evenly: of a share of 0.01 each hundredth.
  const auto before = static_cast<double>(number - 1) * options_.check;
  return std::floor(before + options_.check) > std::floor(before);
}

void KeptAnswers::count_check(bool is_right) {
  checked_.fetch_add(1, std::memory_order_relaxed);
  if (!is_right) mismatches_.fetch_add(1, std::memory_order_relaxed);
}

ReuseCounts KeptAnswers::counts() const {
  const MutexLock lock(mutex_);
  return {.answers = answers_[0] + answers_[1],
          .redone = redone_,
          .answers_changed = answers_changed_,
          .grouped = grouped_,
          .grouped_by_value = grouped_by_value_,
          .lists_gone_on = lists_gone_on_,
          .checked = checked_,
          .mismatches = mismatches_,
          .classes = entries_.size(),
          .bytes = bytes_};
}

}  // namespace winnow
