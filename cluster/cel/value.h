// The room cluster/cel: the Common Expression Language, equal to cel-go v0.29.2 as Kubernetes 1.37 sets it
// up. It knows nothing of scheduling. A caller declares variables in an Environment (environment.h), compiles
// an expression to a Program (program.h), and evaluates it over values, which this header holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/cel/object.h"

namespace winnow::cel {

enum class Kind : std::uint8_t {
  kNull,
  kBool,
  kInt,
  kUint,
  kDouble,
  kString,
  kBytes,
  kTimestamp,
  kDuration,
  kList,
  kMap,
  kType,
  kOptional,
  kOpaque,
  kError,
};

class List;
class Map;
class Opaque;
class ErrorObject;

/// A point in time: seconds since 1970 and nanoseconds from 0 to 999,999,999.
struct Timestamp {
  std::int64_t seconds = 0;
  std::uint32_t nanos = 0;
  /// Seconds east of UTC, of the text it was read from. Only the text form shows it.
  std::int32_t offset = 0;
  friend bool operator==(const Timestamp& a, const Timestamp& b) {
    return a.seconds == b.seconds && a.nanos == b.nanos;
  }
};

/// A value of the language. Cheap to copy: scalars are inside, all else is shared.
///
/// Texts may be borrowed: then whoever made the value keeps the bytes alive for as long as the value is used.
/// What Program::evaluate() returns may borrow from the program and from the values that it was given.
class Value {
 public:
  /// Null.
  Value() = default;
  Value(const Value& other)
      : data_(other.data_),
        owner_(other.owner_),
        size_(other.size_),
        extra_(other.extra_),
        kind_(other.kind_) {
    if (owner_ != nullptr) owner_->retain();
  }
  Value(Value&& other) noexcept
      : data_(other.data_),
        owner_(std::exchange(other.owner_, nullptr)),
        size_(other.size_),
        extra_(other.extra_),
        kind_(std::exchange(other.kind_, Kind::kNull)) {}
  Value& operator=(const Value& other) {
    Value copy(other);
    swap(copy);
    return *this;
  }
  Value& operator=(Value&& other) noexcept {
    Value taken(std::move(other));
    swap(taken);
    return *this;
  }
  ~Value() {
    if (owner_ != nullptr) owner_->release();
  }

  static Value boolean(bool value) { return Value(Kind::kBool, Data{.integer = value ? 1 : 0}); }
  static Value integer(std::int64_t value) { return Value(Kind::kInt, Data{.integer = value}); }
  static Value unsigned_integer(std::uint64_t value) { return Value(Kind::kUint, Data{.natural = value}); }
  static Value real(double value) { return Value(Kind::kDouble, Data{.real = value}); }
  static Value duration(std::int64_t nanos) { return Value(Kind::kDuration, Data{.integer = nanos}); }
  static Value timestamp(Timestamp time);
  /// A text of its own.
  static Value string(std::string text) { return text_of(Kind::kString, std::move(text)); }
  static Value bytes(std::string text) { return text_of(Kind::kBytes, std::move(text)); }
  /// A text that the caller keeps alive.
  static Value borrowed(std::string_view text) { return borrowed_of(Kind::kString, text); }
  static Value borrowed_bytes(std::string_view text) { return borrowed_of(Kind::kBytes, text); }
  /// The type of that name, which the caller keeps alive ("int", "google.protobuf.Duration").
  static Value type(std::string_view name) { return borrowed_of(Kind::kType, name); }
  /// Takes over the one reference of a new object.
  static Value list(const List* taken);
  static Value map(const Map* taken);
  static Value opaque(const Opaque* taken);
  /// A list, map or opaque value that the caller keeps alive.
  static Value borrowed_list(const List* list);
  static Value borrowed_map(const Map* map);
  static Value borrowed_opaque(const Opaque* opaque);
  static Value list_of(std::vector<Value> items);
  static Value optional_of(Value value);
  static Value optional_none() { return Value(Kind::kOptional, Data{.object = nullptr}); }
  static Value error(std::string message);

  Kind kind() const { return kind_; }
  bool is(Kind kind) const { return kind_ == kind; }
  bool is_error() const { return kind_ == Kind::kError; }
  bool is_true() const { return kind_ == Kind::kBool && data_.integer != 0; }
  bool is_false() const { return kind_ == Kind::kBool && data_.integer == 0; }
  bool is_number() const { return kind_ == Kind::kInt || kind_ == Kind::kUint || kind_ == Kind::kDouble; }

  // Each of these needs the kind of its name.
  bool as_bool() const { return data_.integer != 0; }
  std::int64_t as_int() const { return data_.integer; }
  std::uint64_t as_uint() const { return data_.natural; }
  double as_double() const { return data_.real; }
  std::int64_t as_duration() const { return data_.integer; }
  Timestamp as_timestamp() const { return {data_.integer, size_, extra_}; }
  /// Of a string, of bytes or of a type's name.
  std::string_view text() const { return {data_.text, size_}; }
  const List& as_list() const { return *data_.list; }
  const Map& as_map() const { return *data_.map; }
  const Opaque& as_opaque() const { return *data_.opaque; }
  /// What an optional holds; null if it is empty.
  const Value* as_optional() const;
  /// The message of an error.
  const std::string& message() const;
  /// The id of the expression that made the error; 0 if it is not known.
  std::int64_t error_id() const;
  /// The same error with the id, if it has none.
  Value labelled(std::int64_t id) const;

  void swap(Value& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(owner_, other.owner_);
    std::swap(size_, other.size_);
    std::swap(extra_, other.extra_);
    std::swap(kind_, other.kind_);
  }

 private:
  union Data {
    std::int64_t integer;
    std::uint64_t natural;
    double real;
    const char* text;
    const Object* object;
    const List* list;
    const Map* map;
    const Opaque* opaque;
    const ErrorObject* error;
  };
  Value(Kind kind, Data data) : data_(data), kind_(kind) {}
  static Value text_of(Kind kind, std::string text);
  static Value borrowed_of(Kind kind, std::string_view text);

  Data data_ = {.integer = 0};
  const Object* owner_ = nullptr;
  /// The size of a text; the nanoseconds of a timestamp.
  std::uint32_t size_ = 0;
  std::int32_t extra_ = 0;
  Kind kind_ = Kind::kNull;
};

/// A list. A caller may supply items lazily: at() makes them when they are asked for.
class List : public Object {
 public:
  virtual std::size_t size() const = 0;
  /// @param index  below size().
  virtual Value at(std::size_t index) const = 0;
};

/// A map. A caller may supply it lazily: find() is all that a selection needs.
class Map : public Object {
 public:
  virtual std::size_t size() const = 0;
  /// The value of the key, if there is one. Numbers that are equal are the same key. A lookup may give an
  /// error.
  virtual std::optional<Value> find(const Value& key) const = 0;
  /// Whether `key in map`. A map with a default value has fewer keys than it finds.
  virtual bool has(const Value& key) const { return find(key).has_value(); }
  /// Keys in an order that stays the same. @param index  below size().
  virtual Value key_at(std::size_t index) const = 0;
  /// The value of that key.
  virtual Value value_at(std::size_t index) const { return find(key_at(index)).value_or(Value()); }
};

/// A value of a type that the language does not know: a quantity, a version, an address.
class Opaque : public Object {
 public:
  /// The name of its type, which outlives it.
  virtual std::string_view type_name() const = 0;
  /// Whether it is equal to the other, as a bool; else an error, as upstream has it for some types.
  virtual Value equal(const Value& other) const = 0;
  /// Its size as costs are counted; nothing if it has none.
  virtual std::optional<std::uint64_t> size() const { return std::nullopt; }
  /// For people.
  virtual std::string text() const = 0;
};

/// The name of the value's type: "int", "list", "google.protobuf.Timestamp".
std::string_view type_name_of(const Value& value);

/// `a == b`, which is a bool, or an error of an opaque type's. Numbers compare across their types, NaN is
/// equal to nothing, and values of other types are unequal.
Value equal(const Value& a, const Value& b);
/// Whether `a == b` is true.
bool is_equal(const Value& a, const Value& b);
/// -1, 0 or 1 as an int; an error if the two have no order.
Value compare(const Value& a, const Value& b);

/// The number of characters of UTF-8. A byte that is none counts as one character.
std::size_t count_characters(std::string_view text);

Value no_such_overload();
/// The value itself if it is an error, else "no such overload".
Value no_such_overload(const Value& value);

/// The value as errors print it: strings without quotes.
std::string plain_text(const Value& value);
/// The value as an expression: strings quoted, maps sorted by key. For people and tests.
std::string describe(const Value& value);

}  // namespace winnow::cel
