// A vector that copies share until one of them is changed.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <utility>
#include <vector>

namespace winnow {

/// What is kept and what is answered are the same rows, without a copy, for as long as nothing changes.
/// Different threads may use different copies; one copy is not synchronised.
template <class T>
class SharedVector {
 public:
  using value_type = T;

  SharedVector() = default;
  SharedVector(std::vector<T> values) : block_(new Block{.values = std::move(values)}) {}
  SharedVector(const SharedVector& other) : block_(other.block_) {
    if (block_) block_->holders.fetch_add(1, std::memory_order_relaxed);
  }
  SharedVector(SharedVector&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
  SharedVector& operator=(SharedVector other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  ~SharedVector() {
    if (block_ && block_->holders.fetch_sub(1, std::memory_order_acq_rel) == 1) delete block_;
  }

  std::size_t size() const { return block_ ? block_->values.size() : 0; }
  bool empty() const { return size() == 0; }
  const T* data() const { return block_ ? block_->values.data() : nullptr; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size(); }
  const T& operator[](std::size_t i) const { return block_->values[i]; }
  const T& front() const { return block_->values.front(); }
  bool operator==(const SharedVector& other) const {
    return block_ == other.block_ || std::ranges::equal(*this, other);
  }

  /// The values, to be changed here alone. Whoever has let go of them has read them before.
  std::vector<T>& edit() {
    if (!block_)
      block_ = new Block;
    else if (block_->holders.load(std::memory_order_acquire) != 1)
      *this = SharedVector(std::vector<T>(block_->values));
    return block_->values;
  }

 private:
  struct Block {
    std::atomic<std::size_t> holders = 1;
    std::vector<T> values = {};
  };
  Block* block_ = nullptr;
};

}  // namespace winnow
