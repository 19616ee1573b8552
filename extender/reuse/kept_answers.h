// The classes of equal pods of one rule set, in bounded memory.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <unordered_map>
#include <utility>

#include "cluster/mutex.h"
#include "extender/reuse/kept_class.h"

namespace winnow {

class View;

struct ReuseOptions {
  bool enabled = true;
  /// What all classes of a rule set may take. The least recently used go first.
  std::size_t memory = std::size_t{128} << 20;
  /// The share of reused answers that are computed in full as well, and compared; 0 to 1.
  double check = 0;
  /// With fewer nodes to ask about, to look up what is kept costs more than it saves.
  std::size_t least_nodes = 16;
  /// Answers of a class are kept from this question on, of a kind. To keep them costs as much as to find
  /// them, and many pods are the only one of their class.
  std::uint32_t from_question = 2;
};

/// The numbers of a rule set's life, and its size now.
struct ReuseCounts {
  std::uint64_t answers = 0;           ///< Given from what was kept, at least in part.
  std::uint64_t redone = 0;            ///< Nodes that rules were asked about anew in these.
  std::uint64_t answers_changed = 0;   ///< Answers of filter that are the last one but for what has changed.
  std::uint64_t grouped = 0;           ///< Times that a rule scored groups of nodes: see Priority::groups().
  std::uint64_t grouped_by_value = 0;  ///< The same of one raw score each: see ReducesBy::kValues.
  std::uint64_t lists_gone_on = 0;     ///< Scored lists of nodes that were the last one but for a few nodes.
  std::uint64_t checked = 0;           ///< Compared with the full computation.
  std::uint64_t mismatches = 0;        ///< Found wrong. The right answer was given.
  std::size_t classes = 0;
  std::size_t bytes = 0;

  ReuseCounts& operator+=(const ReuseCounts& other);
};

/// What is asked about the nodes: whether the pod fits, and how good they are.
enum class Question : std::uint8_t { kFilter, kScore };

/// Keeps answers for the rules of one set. Thread-safe.
class KeptAnswers {
 public:
  KeptAnswers(RuleReads reads, ReuseOptions options) : reads_(std::move(reads)), options_(options) {}

  /// A class in use by one request, until this ends.
  class Lease {
   public:
    Lease() = default;
    Lease(KeptAnswers& all, std::shared_ptr<KeptClass> one) : all_(&all), class_(std::move(one)) {}
    Lease(Lease&& other) noexcept = default;
    Lease& operator=(Lease&& other) noexcept {
      std::swap(all_, other.all_);
      std::swap(class_, other.class_);
      return *this;
    }
    ~Lease();

    explicit operator bool() const { return class_ != nullptr; }
    KeptClass& operator*() const { return *class_; }
    KeptClass* operator->() const { return class_.get(); }

   private:
    KeptAnswers* all_ = nullptr;
    std::shared_ptr<KeptClass> class_;
  };

  /// The class of the request's pod, which has followed the view's state. Empty: nothing is kept for it. So
  /// it is at the first question, where the request has few nodes, where the view has an overlay, where
  /// another request has the class, and after a mismatch.
  Lease take(const Request& request, Question question);

  const RuleReads& reads() const { return reads_; }
  /// Whether no answer was found wrong. Else rules do without the numbers that are kept by row, too.
  bool is_right() const { return mismatches_ == 0; }
  /// Counts an answer. @return whether it is to be compared with the full computation.
  bool count_answer(Question question);
  void count_redone(std::size_t nodes) { redone_.fetch_add(nodes, std::memory_order_relaxed); }
  void count_answer_changed() { answers_changed_.fetch_add(1, std::memory_order_relaxed); }
  void count_grouped() { grouped_.fetch_add(1, std::memory_order_relaxed); }
  void count_grouped_by_value() { grouped_by_value_.fetch_add(1, std::memory_order_relaxed); }
  void count_list_gone_on() { lists_gone_on_.fetch_add(1, std::memory_order_relaxed); }
  void count_check(bool is_right);
  ReuseCounts counts() const;

 private:
  struct Entry {
    std::size_t hash;
    std::shared_ptr<KeptClass> of;
    std::size_t bytes = 0;
    std::array<std::uint32_t, 2> questions = {};  ///< By Question.
  };
  using Entries = std::list<Entry>;

  Entry& find(const Pod& pod, Accounting accounting) WINNOW_REQUIRES(mutex_);
  void make_room() WINNOW_REQUIRES(mutex_);
  void give_back(KeptClass& one);

  const RuleReads reads_;
  const ReuseOptions options_;
  mutable Mutex mutex_;
  Entries entries_ WINNOW_GUARDED_BY(mutex_);  ///< The latest used first.
  std::unordered_multimap<std::size_t, Entries::iterator> by_hash_ WINNOW_GUARDED_BY(mutex_);
  std::size_t bytes_ WINNOW_GUARDED_BY(mutex_) = 0;
  std::array<std::atomic<std::uint64_t>, 2> answers_ = {};  ///< By Question.
  std::atomic<std::uint64_t> redone_ = 0, answers_changed_ = 0, grouped_ = 0, grouped_by_value_ = 0,
                             lists_gone_on_ = 0;
  std::atomic<std::uint64_t> checked_ = 0, mismatches_ = 0;
};

}  // namespace winnow
