// A table of numbers by device slot that several threads fill at once.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace winnow {

/// Numbers that are 0 at first. Memory comes in parts, with the first number of a part. Slots beyond the last
/// part stay 0.
template <class Number>
class SlotTable {
 public:
  SlotTable() = default;
  ~SlotTable() {
    for (std::atomic<Part*>& part : parts_) delete part.load();
  }
  SlotTable(const SlotTable&) = delete;
  SlotTable& operator=(const SlotTable&) = delete;

  Number get(std::uint32_t slot) const {
    const std::size_t index = slot / kPart;
    if (index >= kParts) return 0;
    const Part* part = parts_[index].load(std::memory_order_acquire);
    return part == nullptr ? 0 : (*part)[slot % kPart].load(std::memory_order_relaxed);
  }

  void set(std::uint32_t slot, Number number) {
    const std::size_t index = slot / kPart;
    if (index < kParts) part(index)[slot % kPart].store(number, std::memory_order_relaxed);
  }

 private:
  static constexpr std::size_t kPart = 2048;
  static constexpr std::size_t kParts = 1024;
  using Part = std::array<std::atomic<Number>, kPart>;

  Part& part(std::size_t index) {
    Part* present = parts_[index].load(std::memory_order_acquire);
    if (present != nullptr) return *present;
    auto made = std::make_unique<Part>();
    if (parts_[index].compare_exchange_strong(present, made.get(), std::memory_order_acq_rel))
      return *made.release();
    return *present;
  }

  std::array<std::atomic<Part*>, kParts> parts_{};
};

}  // namespace winnow
