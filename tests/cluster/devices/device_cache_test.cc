#include "cluster/devices/device_cache.h"

#include <doctest/doctest.h>

#include <string>

#include "tests/cluster/devices/device_world.h"

namespace winnow {

TEST_CASE("the cache keeps what was used last") {
  DeviceCache cache(2);
  const auto first = cache.selector("device.driver == 'a'");
  const auto second = cache.selector("device.driver == 'b'");
  CHECK(cache.selector("device.driver == 'a'") == first);
  cache.selector("device.driver == 'c'");
  CHECK(cache.selector("device.driver == 'a'") == first);
  CHECK(cache.selector("device.driver == 'b'") != second);
}

TEST_CASE("equal attributes have equal numbers") {
  using device_world::kGpu;
  using device_world::named;
  const AttributeColumn column("gpu.example.com/x");
  struct ColumnRow {
    const char* sentence;
    DeviceAttributes attributes;
    AttributeColumn::Value value;
  };
  const ColumnRow rows[] = {
      {"a text", {{"x", std::string("1")}}, 2},
      {"the same by its full name", {{"gpu.example.com/x", std::string("1")}}, 2},
      {"a number is no text", {{"x", std::int64_t{1}}}, 3},
      {"a bool is no number", {{"x", true}}, 4},
      {"another bool", {{"x", false}}, 5},
      {"a version is no text", {{"x", DeviceVersion{"1"}}}, 6},
      {"the text again", {{"x", std::string("1")}}, 2},
      {"a type that is not known", {{"x", UnsupportedAttribute()}}, AttributeColumn::kUnknownType},
      {"not there", {{"y", true}}, AttributeColumn::kAbsent},
      {"of another domain", {{"com.example/x", true}}, AttributeColumn::kAbsent},
  };
  std::uint32_t slot = 0;
  for (const ColumnRow& row : rows) {
    CAPTURE(row.sentence);
    const Device device = named("d", row.attributes);
    const PublishedDevice published{.device = &device, .slot = slot++, .version = 1};
    CHECK(column.of(published, kGpu) == row.value);
    CHECK(column.of(published, kGpu) == row.value);
  }
  const Device device = named("d", {{"x", std::string("1")}});
  CHECK(column.of({.device = &device, .slot = 100, .version = 1}, "other.example.com") ==
        AttributeColumn::kAbsent);
}

}  // namespace winnow
