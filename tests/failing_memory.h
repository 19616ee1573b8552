// Memory that runs out at a chosen allocation.
//
// A program that links this has an operator new of its own. It throws where a test asks for it, and only in
// the code under test: a made-up world allocates as well, and must not fail.
#pragma once

#include <cstdint>

namespace winnow::test {

/// While it lives, the calling thread runs the code under test. Outside, no allocation fails.
class CodeUnderTest {
 public:
  CodeUnderTest();
  ~CodeUnderTest();
  CodeUnderTest(const CodeUnderTest&) = delete;
  CodeUnderTest& operator=(const CodeUnderTest&) = delete;

 private:
  const bool before_;
};

/// While it lives, the calling thread runs the test's own code, called back by the code under test.
class TestCode {
 public:
  TestCode();
  ~TestCode();
  TestCode(const TestCode&) = delete;
  TestCode& operator=(const TestCode&) = delete;

 private:
  const bool before_;
};

/// Of the calling thread: the next `passes` allocations succeed, and the `fails` ones after them throw.
void fail_memory(std::uint64_t passes, std::uint64_t fails = 1);
/// No allocation of the calling thread fails from now on.
void mend_memory();
/// The number of the calling thread's allocations that have failed.
std::uint64_t failed_allocations();

/// The number of blocks that the program has allocated and not freed. It does not have aligned ones.
std::int64_t live_blocks();
/// The bytes of these blocks, with what the allocator adds to a block to fill it.
std::int64_t live_bytes();

}  // namespace winnow::test
