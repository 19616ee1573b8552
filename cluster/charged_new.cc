// The operators new and delete of a program: what they give is charged (memory_budget.h). Each program links
// this file, or one that has the same operators; without them MemoryScope does not link. Blocks of more than
// usual alignment are not charged: nothing here asks for them.
#include <new>

#include "cluster/memory_budget.h"

namespace {

void* allocate_or_null(std::size_t size) noexcept {
  try {
    return winnow::charged::allocate(size);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

}  // namespace

namespace winnow {
void operators_are_charged() {}
}  // namespace winnow

void* operator new(std::size_t size) { return winnow::charged::allocate(size); }
void* operator new[](std::size_t size) { return winnow::charged::allocate(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return allocate_or_null(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return allocate_or_null(size); }
void operator delete(void* block) noexcept { winnow::charged::release(block); }
void operator delete[](void* block) noexcept { winnow::charged::release(block); }
void operator delete(void* block, std::size_t size) noexcept { winnow::charged::release(block, size); }
void operator delete[](void* block, std::size_t size) noexcept { winnow::charged::release(block, size); }
void operator delete(void* block, const std::nothrow_t&) noexcept { winnow::charged::release(block); }
void operator delete[](void* block, const std::nothrow_t&) noexcept { winnow::charged::release(block); }
