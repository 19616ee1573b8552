#include "cluster/cel/containers.h"

#include <bit>
#include <cmath>
#include <cstdint>

namespace winnow::cel {
namespace {

/// Maps of more entries are indexed.
constexpr std::size_t kSmall = 8;
constexpr std::size_t kNone = static_cast<std::size_t>(-1);

class Concatenation : public List {
 public:
  Concatenation(Value first, Value second)
      : first_(std::move(first)),
        second_(std::move(second)),
        middle_(first_.as_list().size()),
        size_(middle_ + second_.as_list().size()) {}
  std::size_t size() const override { return size_; }
  Value at(std::size_t index) const override {
    return index < middle_ ? first_.as_list().at(index) : second_.as_list().at(index - middle_);
  }

 private:
  Value first_;
  Value second_;
  std::size_t middle_;
  std::size_t size_;
};

/// Whether two keys are the same in a Go map: same type and same value. NaN is no key's equal.
bool is_same_key(const Value& a, const Value& b) { return a.kind() == b.kind() && is_equal(a, b); }

/// Equal keys have equal texts.
std::string text_of(const Value& key) {
  std::string text(1, static_cast<char>(key.kind()));
  const auto put = [&](std::uint64_t bits) {
    for (int i = 0; i < 8; ++i) text += static_cast<char>(bits >> (8 * i));
  };
  switch (key.kind()) {
    case Kind::kString:
    case Kind::kType:
      text += key.text();
      break;
    case Kind::kDouble:
      put(std::bit_cast<std::uint64_t>(key.as_double() == 0 ? 0.0 : key.as_double()));
      break;
    case Kind::kTimestamp:
      put(static_cast<std::uint64_t>(key.as_timestamp().seconds));
      put(key.as_timestamp().nanos);
      break;
    case Kind::kNull:
      break;
    default:
      put(key.as_uint());
  }
  return text;
}

bool is_not_a_number(const Value& key) { return key.is(Kind::kDouble) && std::isnan(key.as_double()); }

/// Whether a key may be found again: upstream compares lists and the like by address.
bool has_equals(const Value& key) {
  switch (key.kind()) {
    case Kind::kBytes:
    case Kind::kList:
    case Kind::kMap:
    case Kind::kOptional:
    case Kind::kOpaque:
    case Kind::kError:
      return false;
    default:
      return !is_not_a_number(key);
  }
}

/// Whether upstream can have the key in a map: Go has no hash of slices and functions.
bool is_hashable(const Value& key) {
  if (key.is(Kind::kBytes)) return false;
  return !key.is(Kind::kOpaque) || (key.as_opaque().type_name() != "kubernetes.Semver" &&
                                    key.as_opaque().type_name() != "kubernetes.NamedFormat");
}

Value unhashable() { return Value::error("internal error: hash of unhashable type"); }

GrowingList* growing_list(const Value& value) {
  const auto* list = dynamic_cast<const GrowingList*>(&value.as_list());
  return list != nullptr && list->is_growing() ? const_cast<GrowingList*>(list) : nullptr;
}
EntryMap* growing_map(const Value& value) {
  const auto* map = dynamic_cast<const EntryMap*>(&value.as_map());
  return map != nullptr && map->is_growing() ? const_cast<EntryMap*>(map) : nullptr;
}

/// The int that the double or uint is exactly.
std::optional<Value> as_int_key(const Value& key) {
  if (key.is(Kind::kUint))
    return key.as_uint() <= INT64_MAX ? std::optional(Value::integer(key.as_int())) : std::nullopt;
  const double number = key.as_double();
  if (!(number > -0x1p63 && number < 0x1p63) || number != std::trunc(number)) return std::nullopt;
  return Value::integer(static_cast<std::int64_t>(number));
}
std::optional<Value> as_uint_key(const Value& key) {
  if (key.is(Kind::kInt))
    return key.as_int() >= 0 ? std::optional(Value::unsigned_integer(key.as_uint())) : std::nullopt;
  const double number = key.as_double();
  if (!(number >= 0 && number < 0x1p64) || number != std::trunc(number)) return std::nullopt;
  return Value::unsigned_integer(static_cast<std::uint64_t>(number));
}

}  // namespace

Value concatenate(const Value& first, const Value& second) {
  const std::size_t size = first.as_list().size() + second.as_list().size();
  if (GrowingList* growing = growing_list(first)) {
    if (size > kMostItems) return Value::error("a list is too long");
    const List& more = second.as_list();
    for (std::size_t i = 0, count = more.size(); i < count; ++i) growing->add(more.at(i));
    return first;
  }
  if (first.as_list().size() == 0) return second;
  if (second.as_list().size() == 0) return first;
  if (size > kMostItems) return Value::error("a list is too long");
  return Value::list(new Concatenation(first, second));
}

bool contains(const List& list, const Value& value, Comparison& comparison) {
  const std::size_t size = list.size();
  for (std::size_t i = 0; i < size && !comparison.is_exhausted(); ++i)
    if (comparison.is_equal(value, list.at(i))) return true;
  return false;
}

std::size_t EntryMap::index_of(const Value& key) const {
  if (!has_equals(key)) return kNone;
  if (!index_.empty()) {
    const auto found = index_.find(text_of(key));
    return found == index_.end() ? kNone : found->second;
  }
  for (std::size_t i = 0; i < entries_.size(); ++i)
    if (is_same_key(entries_[i].first, key)) return i;
  return kNone;
}

const Value* EntryMap::find_exactly(const Value& key) const {
  const std::size_t index = index_of(key);
  return index == kNone ? nullptr : &entries_[index].second;
}

std::optional<Value> EntryMap::find(const Value& key) const {
  if (const Value* found = find_exactly(key); found != nullptr) return *found;
  if (!key.is_number()) return std::nullopt;
  if (!key.is(Kind::kInt))
    if (const auto other = as_int_key(key))
      if (const Value* found = find_exactly(*other); found != nullptr) return *found;
  if (!key.is(Kind::kUint))
    if (const auto other = as_uint_key(key))
      if (const Value* found = find_exactly(*other); found != nullptr) return *found;
  return std::nullopt;
}

Value EntryMap::set(const Value& key, Value value) {
  if (!is_hashable(key)) return unhashable();
  if (const std::size_t index = index_of(key); index != kNone) {
    entries_[index].second = std::move(value);
    return {};
  }
  entries_.emplace_back(key, std::move(value));
  if (entries_.size() == kSmall + 1) {
    build_index();
  } else if (entries_.size() > kSmall) {
    if (has_equals(key)) index_.emplace(text_of(key), entries_.size() - 1);
  }
  return {};
}

void EntryMap::build_index() {
  for (std::size_t i = 0; i < entries_.size(); ++i)
    if (has_equals(entries_[i].first)) index_.emplace(text_of(entries_[i].first), i);
}

Value EntryMap::erase(const Value& key) {
  if (!is_hashable(key)) return unhashable();
  const std::size_t index = index_of(key);
  if (index == kNone) return {};
  entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(index));
  index_.clear();
  if (entries_.size() > kSmall) build_index();
  return {};
}

void finish_growing(const Value& value) {
  if (value.is(Kind::kList))
    if (GrowingList* list = growing_list(value)) list->finish();
  if (value.is(Kind::kMap))
    if (EntryMap* map = growing_map(value)) map->finish();
}

Value with_entry(const Value& map, const Value& key, Value value) {
  if (map.as_map().find(key)) return Value::error("insert failed: key " + describe(key) + " already exists");
  if (EntryMap* growing = growing_map(map)) {
    const Value error = growing->set(key, std::move(value));
    return error.is_error() ? error : map;
  }
  auto* result = new EntryMap;
  const Value owner = Value::map(result);
  const Map& from = map.as_map();
  for (std::size_t i = 0; i < from.size(); ++i) result->set(from.key_at(i), from.value_at(i));
  const Value error = result->set(key, std::move(value));
  return error.is_error() ? error : owner;
}

}  // namespace winnow::cel
