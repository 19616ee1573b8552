#include "cluster/cel/value.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "cluster/cel/containers.h"

namespace winnow::cel {

TEST_CASE("numbers compare across their types") {
  const Value nan = Value::real(std::nan(""));
  struct ValueRow {
    const char* sentence;
    Value a;
    Value b;
    int order;
  };
  const ValueRow rows[] = {
      {"an int and a double", Value::integer(1), Value::real(1.5), -1},
      {"an int and a uint", Value::integer(-1), Value::unsigned_integer(0), -1},
      {"a uint beyond all ints", Value::unsigned_integer(std::numeric_limits<std::uint64_t>::max()),
       Value::integer(std::numeric_limits<std::int64_t>::max()), 1},
      {"a double beyond all ints", Value::real(1e300),
       Value::integer(std::numeric_limits<std::int64_t>::max()), 1},
      {"equal numbers", Value::unsigned_integer(3), Value::real(3), 0},
  };
  for (const ValueRow& row : rows) {
    CAPTURE(row.sentence);
    CHECK(compare(row.a, row.b).as_int() == row.order);
    CHECK(compare(row.b, row.a).as_int() == -row.order);
    CHECK(is_equal(row.a, row.b) == (row.order == 0));
  }
  CHECK(!is_equal(nan, nan));
  CHECK(compare(nan, Value::integer(1)).message() == "NaN values cannot be ordered");
  CHECK(compare(Value::string("a"), Value::integer(1)).message() == "no such overload");
}

TEST_CASE("lists, maps and optionals are equal by what they hold") {
  const Value list = Value::list_of({Value::integer(1), Value::string("a")});
  CHECK(is_equal(list, Value::list_of({Value::real(1), Value::string("a")})));
  CHECK(!is_equal(list, Value::list_of({Value::integer(1)})));
  CHECK(is_equal(Value::optional_of(list), Value::optional_of(list)));
  CHECK(!is_equal(Value::optional_none(), Value::optional_of(Value())));
  CHECK(is_equal(Value(), Value()));
  CHECK(!is_equal(Value(), Value::boolean(false)));
  CHECK(is_equal(concatenate(list, list), Value::list_of({Value::integer(1), Value::string("a"),
                                                          Value::integer(1), Value::string("a")})));
}

TEST_CASE("a map finds numbers of all types, and keeps them apart") {
  EntryMap map;
  for (int i = 0; i < 20; ++i) map.set(Value::integer(i), Value::string(std::to_string(i)));
  map.set(Value::unsigned_integer(3), Value::string("uint"));
  map.set(Value::real(std::nan("")), Value());
  CHECK(map.size() == 22);
  CHECK(map.find(Value::real(3))->text() == "3");
  CHECK(map.find(Value::unsigned_integer(3))->text() == "uint");
  CHECK(map.find(Value::unsigned_integer(4))->text() == "4");
  CHECK(!map.find(Value::real(3.5)).has_value());
  CHECK(!map.find(Value::string("3")).has_value());
  CHECK(!map.find(Value::real(std::nan(""))).has_value());
  map.erase(Value::integer(4));
  CHECK(!map.find(Value::integer(4)).has_value());
  CHECK(map.find(Value::integer(19))->text() == "19");
}

TEST_CASE("a value is described as an expression") {
  EntryMap* map = new EntryMap;
  const Value owner = Value::map(map);
  map->set(Value::string("b"), Value::real(2));
  map->set(Value::string("a"), Value::unsigned_integer(1));
  CHECK(describe(owner) == "{\"a\": 1u, \"b\": 2.0}");
  CHECK(describe(Value::bytes("a")) == "b\"\\141\"");
  CHECK(describe(Value::duration(1'500'000'000)) == "duration(\"1.5s\")");
  CHECK(describe(Value::timestamp({0, 5'000'000, 3600})) == "timestamp(\"1970-01-01T01:00:00.005+01:00\")");
  CHECK(describe(Value::optional_of(Value())) == "optional.of(null)");
}

TEST_CASE("a value that is borrowed copies nothing, and one that is owned is shared") {
  const std::string text = "borrowed";
  const Value borrowed = Value::borrowed(text);
  const Value copy = borrowed;
  CHECK(copy.text().data() == text.data());
  Value owned = Value::string("owned");
  const Value shared = owned;
  CHECK(shared.text().data() == owned.text().data());
  owned = Value::integer(1);
  CHECK(shared.text() == "owned");
}

}  // namespace winnow::cel
