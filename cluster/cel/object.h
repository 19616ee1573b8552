// Counted objects: what several values share.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace winnow::cel {

/// The base of everything that values share: texts, lists, maps, opaque values, errors. Immutable once it is
/// shared. The count is atomic, so values may be copied by several threads.
class Object {
 public:
  Object() = default;
  virtual ~Object() = default;
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

  void retain() const { count_.fetch_add(1, std::memory_order_relaxed); }
  void release() const {
    if (count_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }
  /// Whether one value alone refers to it.
  bool is_unique() const { return count_.load(std::memory_order_acquire) == 1; }

 private:
  mutable std::atomic<std::uint32_t> count_ = 1;
};

}  // namespace winnow::cel
