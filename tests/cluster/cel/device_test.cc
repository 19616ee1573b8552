// Devices as Kubernetes' Dynamic Resource Allocation shows them to expressions: made when they are asked for.
// Upstream: k8s.io/dynamic-resource-allocation v0.37.0 cel/compile.go.
#include <doctest/doctest.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "cluster/cel/containers.h"
#include "cluster/cel/environment.h"
#include "cluster/cel/library/kubernetes_values.h"
#include "cluster/cel/program.h"
#include "cluster/cel/value.h"
#include "cluster/devices/cel_device.h"

namespace winnow::cel {
namespace {

/// A map that counts what is asked of it, and has a default.
class CountingMap : public Map {
 public:
  CountingMap(std::string_view key, Value value) : key_(key), value_(std::move(value)) {}
  std::size_t size() const override { return 1; }
  std::optional<Value> find(const Value& key) const override {
    ++asked;
    if (has(key)) return value_;
    return Value::map(new EntryMap);
  }
  bool has(const Value& key) const override { return key.is(Kind::kString) && key.text() == key_; }
  Value key_at(std::size_t) const override { return Value::borrowed(key_); }

  mutable int asked = 0;

 private:
  std::string_view key_;
  Value value_;
};

struct Device {
  Device() {
    inner.set(Value::string("model"), Value::string("A100"));
    amounts.set(Value::string("memory"), quantity_value(*QuantityValue::parse("80Gi")));
    device.set(Value::string("driver"), Value::string("gpu.example.com"));
    device.set(Value::string("attributes"), Value::borrowed_map(&attributes));
    device.set(Value::string("capacity"), Value::borrowed_map(&capacity));
  }
  EntryMap inner;
  EntryMap amounts;
  CountingMap attributes{"gpu.example.com", Value::borrowed_map(&inner)};
  CountingMap capacity{"gpu.example.com", Value::borrowed_map(&amounts)};
  EntryMap device;
};

}  // namespace

TEST_CASE("a device's maps are asked for what an expression reads") {
  struct DeviceRow {
    const char* sentence;
    std::string_view expression;
    std::string_view value;
    int attributes;
  };
  const DeviceRow rows[] = {
      {"an attribute and a capacity",
       "device.attributes['gpu.example.com'].model == 'A100' && "
       "device.capacity['gpu.example.com'].memory.compareTo(quantity('40Gi')) >= 0",
       "true", 1},
      {"the driver alone", "device.driver == 'gpu.example.com'", "true", 0},
      {"a domain that is missing is empty", "has(device.attributes['x'].model)", "false", 1},
      {"but it is not in the map", "'x' in device.attributes", "false", 0},
      {"an attribute that is missing is an error", "device.attributes['x'].model", "no such key: model", 1},
      {"a bound domain is asked for once",
       "cel.bind(gpu, device.attributes['gpu.example.com'], gpu.model == 'A100' && has(gpu.model))", "true",
       1},
      {"a loop sees the domains that are there", "device.attributes.exists(domain, domain == 'x')", "false",
       0},
  };
  const Environment& environment = device_environment();
  for (const DeviceRow& row : rows) {
    CAPTURE(row.sentence);
    const auto program = Program::compile(row.expression, environment);
    REQUIRE(program.has_value());
    Device device;
    const Value variable = Value::borrowed_map(&device.device);
    CHECK(describe(program->evaluate(std::span(&variable, 1)).value) == row.value);
    CHECK(device.attributes.asked == row.attributes);
  }
}

TEST_CASE("a misspelt field of a device is refused with the near name") {
  const auto program = Program::compile("device.atributes['a'].b", device_environment());
  REQUIRE(!program.has_value());
  CHECK(program.error().front().text() == "1:7: undefined field 'atributes' (did you mean \"attributes\"?)");
}

}  // namespace winnow::cel
