// How many calls compute at once.
#pragma once

#include <cstddef>
#include <memory>
#include <semaphore>

namespace winnow {

/// Where binds are on, there are many more threads than cores: a call that computes takes one of these turns.
/// Taken before all locks. Thread-safe.
class Turns {
 public:
  /// @param count  0: no bound.
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
  std::unique_ptr<std::counting_semaphore<>> free_;  ///< Null: no bound.
};

/// A turn for as long as this lives.
class Turn {
 public:
  /// @param turns  outlives this.
  explicit Turn(Turns& turns) : turns_(turns) { turns_.take(); }
  ~Turn() { turns_.give_back(); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  Turns& turns_;
};

}  // namespace winnow
