#include "extender/explain/decision_ring.h"

#include <doctest/doctest.h>

#include <deque>
#include <map>
#include <random>

#include "tests/extender/explain/records.h"
#include "tests/part.h"

namespace winnow::test {
namespace {

using Number = DecisionRing::Number;

/// The same, in the plainest way.
struct Model {
  struct One {
    Number number = 0;
    std::string pod;
    std::size_t bytes = 0;
  };
  std::deque<One> kept;

  std::size_t bytes() const {
    std::size_t sum = 0;
    for (const One& one : kept) sum += one.bytes;
    return sum;
  }
  /// The numbers of a pod's decisions, the newest first.
  std::vector<Number> of(const std::string& pod) const {
    std::vector<Number> numbers;
    for (auto one = kept.rbegin(); one != kept.rend(); ++one)
      if (one->pod == pod) numbers.push_back(one->number);
    return numbers;
  }
};

std::vector<Number> chain_of(const DecisionRing& ring, const std::string& pod) {
  std::vector<Number> numbers;
  for (Number number = ring.find(pod).newest; number != 0 && ring.has(number); number = ring[number].before)
    numbers.push_back(number);
  return numbers;
}

}  // namespace

TEST_CASE("decisions: the ring finds each pod's decisions after any number of them") {
  std::mt19937 random(7);  // NOLINT: the same draws each time.
  for (const std::size_t most : {1, 2, 3, 7, 64}) {
    CAPTURE(most);
    for (const std::size_t pods : {1, 5, 200}) {
      CAPTURE(pods);
      const std::size_t most_bytes = most * 300;
      DecisionRing ring(most, most_bytes);
      RecordMemory memory;
      Model model;
      for (Number number = 1; number <= part_of(600U); ++number) {
        DecisionRecord record = decided("p" + std::to_string(random() % pods));
        if (random() % 8 == 0) record.error = std::string(random() % 2000, 'e');
        DecisionRing::Kept kept{PackedRecord(record, memory), record.rules, nullptr};
        const std::size_t bytes = kept.bytes();
        ring.make_room(bytes);
        while (model.kept.size() >= most || (!model.kept.empty() && model.bytes() + bytes > most_bytes))
          model.kept.pop_front();
        REQUIRE(ring.add(std::move(kept), ring.find(record.pod)) == number);
        ring[number].pod.uid = number;
        model.kept.push_back({number, record.pod, bytes});
        REQUIRE(ring.size() == model.kept.size());
        REQUIRE(ring.bytes() == model.bytes());
        REQUIRE(ring[number].kept.unpacked().error == record.error);
        if (number % 7 != 0) continue;
        for (std::size_t pod = 0; pod < pods; ++pod) {
          const std::string name = "default/p" + std::to_string(pod);
          REQUIRE(chain_of(ring, name) == model.of(name));
        }
      }
    }
  }
}

TEST_CASE("decisions: what is known of a pod goes with its newest decision") {
  DecisionRing ring(3, 10'000);
  RecordMemory memory;
  const auto add = [&](const std::string& name) {
    const DecisionRecord record = decided(name);
    DecisionRing::Kept kept{PackedRecord(record, memory), record.rules, nullptr};
    ring.make_room(kept.bytes());
    return ring.add(std::move(kept), ring.find(record.pod));
  };
  ring[add("a")].pod.uid = 17;
  CHECK(ring[add("a")].pod.uid == 17);
  CHECK(ring[add("b")].pod.uid == 0);
  CHECK(ring[add("a")].pod.uid == 17);
  add("b"), add("b"), add("b");
  CHECK(ring.find("default/a").newest == 0);
  CHECK(ring[add("a")].pod.uid == 0);
}

TEST_CASE("decisions: a replaced part changes the bytes, and a copy keeps what it had") {
  DecisionRing ring(2, 10'000);
  RecordMemory memory;
  const DecisionRecord record = decided("a");
  const Number number =
      ring.add({PackedRecord(record, memory), record.rules, nullptr}, ring.find(record.pod));
  const DecisionRing::Kept before = ring[number].kept;
  ring.replace(number, PackedRecord(chosen("a"), memory));
  CHECK(ring.bytes() == pack(chosen("a")).size());
  CHECK(before.unpacked().best.empty());
  const DecisionEnding ending{.said = std::string(100, 's')};
  ring.replace(number, std::make_shared<const DecisionEnding>(ending));
  CHECK(ring.bytes() == pack(chosen("a")).size() + ring[number].kept.ending->bytes());
  CHECK(before.ending == nullptr);
}

}  // namespace winnow::test
