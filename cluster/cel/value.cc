#include "cluster/cel/value.h"

#include <algorithm>
#include <limits>

#include "cluster/cel/numbers.h"

namespace winnow::cel {

/// The message of an error, and the expression that made it.
class ErrorObject : public Object {
 public:
  ErrorObject(std::string message, std::int64_t id) : message_(std::move(message)), id_(id) {}
  const std::string& message() const { return message_; }
  std::int64_t id() const { return id_; }

 private:
  std::string message_;
  std::int64_t id_;
};

namespace {

constexpr std::size_t kLongestText = std::numeric_limits<std::uint32_t>::max();

class TextObject : public Object {
 public:
  explicit TextObject(std::string text) : text_(std::move(text)) {}
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

class OptionalObject : public Object {
 public:
  explicit OptionalObject(Value value) : value_(std::move(value)) {}
  const Value& value() const { return value_; }

 private:
  Value value_;
};

class VectorList : public List {
 public:
  explicit VectorList(std::vector<Value> items) : items_(std::move(items)) {}
  std::size_t size() const override { return items_.size(); }
  Value at(std::size_t index) const override { return items_[index]; }

 private:
  std::vector<Value> items_;
};

}  // namespace

Value Value::timestamp(Timestamp time) {
  Value value(Kind::kTimestamp, Data{.integer = time.seconds});
  value.size_ = time.nanos;
  value.extra_ = time.offset;
  return value;
}

Value Value::text_of(Kind kind, std::string text) {
  if (text.size() > kLongestText) return error("a text is too long");
  const auto* object = new TextObject(std::move(text));
  Value value = borrowed_of(kind, object->text());
  value.owner_ = object;
  return value;
}

Value Value::borrowed_of(Kind kind, std::string_view text) {
  if (text.size() > kLongestText) return error("a text is too long");
  Value value(kind, Data{.text = text.data()});
  value.size_ = static_cast<std::uint32_t>(text.size());
  return value;
}

Value Value::list(const List* taken) {
  Value value = borrowed_list(taken);
  value.owner_ = taken;
  return value;
}
Value Value::map(const Map* taken) {
  Value value = borrowed_map(taken);
  value.owner_ = taken;
  return value;
}
Value Value::opaque(const Opaque* taken) {
  Value value = borrowed_opaque(taken);
  value.owner_ = taken;
  return value;
}
Value Value::borrowed_list(const List* list) { return Value(Kind::kList, Data{.list = list}); }
Value Value::borrowed_map(const Map* map) { return Value(Kind::kMap, Data{.map = map}); }
Value Value::borrowed_opaque(const Opaque* opaque) { return Value(Kind::kOpaque, Data{.opaque = opaque}); }

Value Value::list_of(std::vector<Value> items) { return list(new VectorList(std::move(items))); }

Value Value::optional_of(Value value) {
  const auto* object = new OptionalObject(std::move(value));
  Value optional(Kind::kOptional, Data{.object = object});
  optional.owner_ = object;
  return optional;
}

Value Value::error(std::string message) {
  const auto* object = new ErrorObject(std::move(message), 0);
  Value value(Kind::kError, Data{.error = object});
  value.owner_ = object;
  return value;
}

const Value* Value::as_optional() const {
  return data_.object == nullptr ? nullptr : &static_cast<const OptionalObject*>(data_.object)->value();
}
const std::string& Value::message() const { return data_.error->message(); }
std::int64_t Value::error_id() const { return data_.error->id(); }

Value Value::labelled(std::int64_t id) const {
  if (kind_ != Kind::kError || data_.error->id() != 0) return *this;
  const auto* object = new ErrorObject(data_.error->message(), id);
  Value value(Kind::kError, Data{.error = object});
  value.owner_ = object;
  return value;
}

std::string_view type_name_of(const Value& value) {
  switch (value.kind()) {
    case Kind::kNull:
      return "null_type";
    case Kind::kBool:
      return "bool";
    case Kind::kInt:
      return "int";
    case Kind::kUint:
      return "uint";
    case Kind::kDouble:
      return "double";
    case Kind::kString:
      return "string";
    case Kind::kBytes:
      return "bytes";
    case Kind::kTimestamp:
      return "google.protobuf.Timestamp";
    case Kind::kDuration:
      return "google.protobuf.Duration";
    case Kind::kList:
      return "list";
    case Kind::kMap:
      return "map";
    case Kind::kType:
      return "type";
    case Kind::kOptional:
      return "optional_type";
    case Kind::kOpaque:
      return value.as_opaque().type_name();
    case Kind::kError:
      return "error";
  }
  return "";
}

std::size_t count_characters(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size(); ++count)
    at += static_cast<signed char>(text[at]) >= 0 ? 1 : next_character(text.substr(at)).size;
  return count;
}

Value no_such_overload() { return Value::error("no such overload"); }
Value no_such_overload(const Value& value) { return value.is_error() ? value : no_such_overload(); }

}  // namespace winnow::cel
