// The limit of calls that compute at once.
#pragma once

#include <cstddef>
#include <memory>
#include <semaphore>

namespace winnow {

/// A semaphore for calls that compute. With --enable-bind there are many more threads than cores, so a call
/// takes a turn before it computes. A turn is taken before all locks. Thread-safe.
class Turns {
 public:
  /// @param count  the number of turns; 0: unlimited.
  explicit Turns(std::size_t count) {
    if (count > 0) free_ = std::make_unique<std::counting_semaphore<>>(static_cast<std::ptrdiff_t>(count));
  }

  void take() {
    if (free_) free_->acquire();
  }
  void give_back() {
    if (free_) free_->release();
  }

 private:
  std::unique_ptr<std::counting_semaphore<>> free_;  ///< Null: unlimited.
};

/// A guard that holds one turn while it lives.
class Turn {
 public:
  /// @param turns  must outlive this guard.
  explicit Turn(Turns& turns) : turns_(turns) { turns_.take(); }
  ~Turn() { turns_.give_back(); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  Turns& turns_;
};

}  // namespace winnow
