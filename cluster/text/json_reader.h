// Internal: typed access to the fields of a JSON object, and values as JSON text. Only .cc files and headers
// marked "Internal" include this.
//
// A struct is read by a function read_fields(const Reader&, T&), which names its fields in order. `read`
// selects by the field's type how it is read. It returns false at the first field of a wrong type, and sets
// the error. The path in the error's text is kept as links on the stack, so it costs nothing without an
// error.
#pragma once

#include <rapidjson/document.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace winnow {

/// A step from a value to a value inside it. The parent steps must outlive it.
struct PathStep {
  const PathStep* parent = nullptr;
  std::string_view key;
  std::optional<std::size_t> index;  ///< Set for a step into a list; then `key` is unused.
};

/// The path as text: `items[3].spec.nodeSelector["a.b/c"]`; empty without steps.
std::string render_path(const PathStep* path);

/// One JSON value with its path, for reading.
class Reader {
 public:
  /// @param error  receives the message of the first failure. All arguments must outlive the reader.
  Reader(const rapidjson::Value& value, const PathStep* path, std::string& error)
      : value_(value), path_(path), error_(error) {}

  /// Reads a field. If it is absent or null, the target is unchanged.
  template <class T>
  bool read(std::string_view key, T& target) const {
    const rapidjson::Value* const member = find(key);
    if (member == nullptr || member->IsNull()) return true;
    const PathStep step{path_, key, std::nullopt};
    return read_value(Reader(*member, &step, error_), target);
  }

  /// Calls `fields` with the reader of a field that is an object. An absent or null field is skipped.
  template <class Fields>
  bool within(std::string_view key, const Fields& fields) const {
    const rapidjson::Value* const member = find(key);
    if (member == nullptr || member->IsNull()) return true;
    const PathStep step{path_, key, std::nullopt};
    const Reader inner(*member, &step, error_);
    return inner.expect_object() && fields(inner);
  }

  /// Calls `visit` with the key and the reader of each member, in order.
  template <class Visit>
  bool for_each_member(const Visit& visit) const {
    if (!expect_object()) return false;
    for (const auto& member : value_.GetObject()) {
      const PathStep step{path_, {member.name.GetString(), member.name.GetStringLength()}, std::nullopt};
      if (!visit(step.key, Reader(member.value, &step, error_))) return false;
    }
    return true;
  }

  /// Calls `visit` with the reader of each element, in order.
  template <class Visit>
  bool for_each_element(const Visit& visit) const {
    if (!value_.IsArray()) return fail("a list");
    std::size_t index = 0;
    for (const auto& element : value_.GetArray()) {
      const PathStep step{path_, {}, index++};
      if (!visit(Reader(element, &step, error_))) return false;
    }
    return true;
  }

  /// Calls `visit` for each element of a field that is a list. An absent or null field has none.
  template <class Visit>
  bool for_each_in(std::string_view key, const Visit& visit) const {
    const rapidjson::Value* const member = find(key);
    if (member == nullptr || member->IsNull()) return true;
    const PathStep step{path_, key, std::nullopt};
    return Reader(*member, &step, error_).for_each_element(visit);
  }

  /// Whether the field is there and not null.
  bool has(std::string_view key) const;
  bool is_null() const { return value_.IsNull(); }
  bool expect_object() const { return value_.IsObject() || fail("an object"); }
  const rapidjson::Value& value() const { return value_; }
  /// The path as text: render_path().
  std::string path() const { return render_path(path_); }

  /// Sets the error `PATH: VALUE is not EXPECTED`. @return false, as the caller's result.
  bool fail(std::string_view expected) const;
  /// Sets the error `PATH: WHAT`. @return false.
  bool complain(std::string_view what) const;

 private:
  const rapidjson::Value* find(std::string_view key) const;

  const rapidjson::Value& value_;
  const PathStep* path_;
  std::string& error_;
};

bool read_value(const Reader& reader, std::string& target);
bool read_value(const Reader& reader, bool& target);
bool read_value(const Reader& reader, std::int32_t& target);
bool read_value(const Reader& reader, std::int64_t& target);

/// The text of a value that is a string.
std::string_view string_of(const rapidjson::Value& value);
/// The string in member `key` of an object; empty if there is none.
std::string_view string_at(const rapidjson::Value& object, const char* key);
/// The shortest text that reads as this number. It is the written value, unless that had 17 digits or more.
std::string number_text(const rapidjson::Value& value);

/// Reads any struct that has read_fields.
template <class T>
bool read_value(const Reader& reader, T& target) {
  return reader.expect_object() && read_fields(reader, target);
}

template <class T>
bool read_value(const Reader& reader, std::optional<T>& target) {
  return read_value(reader, target.emplace());
}

/// Reads a list. A null element counts as an empty one, as in Go.
template <class T>
bool read_value(const Reader& reader, std::vector<T>& target) {
  target.clear();
  if (reader.value().IsArray()) target.reserve(reader.value().Size());
  return reader.for_each_element([&](const Reader& element) {
    return element.is_null() ? (target.emplace_back(), true) : read_value(element, target.emplace_back());
  });
}

/// Reads a map. A null member counts as an empty one, as in Go. The last of equal keys counts.
template <class T>
bool read_value(const Reader& reader, std::map<std::string, T, std::less<>>& target) {
  target.clear();
  return reader.for_each_member([&](std::string_view key, const Reader& member) {
    T& value = target[std::string(key)];
    value = {};
    return member.is_null() || read_value(member, value);
  });
}

// Internal: values as JSON text. Only .cc files include this.

/// Appends the value, without white space. Members keep their order. Numbers read as the same ones again.
void append_value(std::string& out, const rapidjson::Value& value);

}  // namespace winnow
