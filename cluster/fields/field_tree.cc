#include "cluster/fields/field_tree.h"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cluster/api/quantity.h"
#include "cluster/cel/times.h"
#include "cluster/fields/v1_types.h"
#include "cluster/text/json_reader.h"

namespace winnow {
namespace {

using cel::Value;
using Json = rapidjson::Value;
using Shape = V1Type::Shape;
using Kind = V1Type::Kind;

/// Members by key, sorted. The keys are in the document.
class Members final : public cel::Map {
 public:
  std::size_t size() const override { return entries_.size(); }
  std::optional<Value> find(const Value& key) const override {
    if (!key.is(cel::Kind::kString)) return std::nullopt;
    const auto found = std::ranges::lower_bound(entries_, key.text(), {}, &Entry::first);
    if (found == entries_.end() || found->first != key.text()) return std::nullopt;
    return found->second;
  }
  Value key_at(std::size_t index) const override { return Value::borrowed(entries_[index].first); }
  Value value_at(std::size_t index) const override { return entries_[index].second; }

  void add(std::string_view key, Value value) { entries_.emplace_back(key, std::move(value)); }
  /// Of equal keys the last one counts.
  void finish() {
    std::ranges::stable_sort(entries_, {}, &Entry::first);
    const auto rest = std::ranges::unique(entries_.rbegin(), entries_.rend(), {}, &Entry::first);
    entries_.erase(entries_.begin(), rest.begin().base());
  }

 private:
  using Entry = std::pair<std::string_view, Value>;
  std::vector<Entry> entries_;
};

class Items final : public cel::List {
 public:
  std::size_t size() const override { return items_.size(); }
  Value at(std::size_t index) const override { return items_[index]; }
  void add(Value item) { items_.push_back(std::move(item)); }

 private:
  std::vector<Value> items_;
};

std::optional<V1Type> type_in(std::string_view object, std::string_view field) {
  if (object == "Pod" || object == "Node") {
    if (field == "metadata") return V1Type{Kind::kObject, Shape::kOne, "ObjectMeta"};
    if (field == "spec") return V1Type{Kind::kObject, Shape::kOne, object == "Pod" ? "PodSpec" : "NodeSpec"};
    if (field == "status" && object == "Node") return V1Type{Kind::kObject, Shape::kOne, "NodeStatus"};
  }
  if (object == "NodeStatus" && field == "conditions")
    return V1Type{Kind::kObject, Shape::kList, "NodeCondition"};
  return find_v1_field(object, field);
}

class Tree final : public FieldTree {
 public:
  Tree(FieldsOf of, std::string_view json) : json_(json) {
    document_.Parse(json_.data(), json_.size());
    root_ = &members_.emplace_back();
    if (!document_.HasParseError() && document_.IsObject())
      fill(*root_, document_, of == FieldsOf::kPods ? "Pod" : "Node");
  }

  const cel::Map& root() const override { return *root_; }
  const std::string& json() const override { return json_; }

 private:
  void fill(Members& members, const Json& object, std::string_view type) {
    for (const auto& member : object.GetObject()) {
      if (member.value.IsNull()) continue;
      const std::string_view key = string_of(member.name);
      const bool is_amounts = type == "NodeStatus" && key == "capacity";
      members.add(key, is_amounts ? amounts(member.value)
                                  : value_of(member.value, type_in(type, key).value_or(V1Type())));
    }
    members.finish();
  }

  Value value_of(const Json& json, const V1Type& type) {
    if (json.IsArray()) {
      Items& items = items_.emplace_back();
      for (const Json& item : json.GetArray()) items.add(value_of(item, type.element()));
      return Value::borrowed_list(&items);
    }
    if (json.IsObject()) {
      Members& members = members_.emplace_back();
      if (type.shape == Shape::kMap) {
        for (const auto& member : json.GetObject())
          members.add(string_of(member.name), value_of(member.value, type.element()));
        members.finish();
      } else {
        fill(members, json, type.object);
      }
      return Value::borrowed_map(&members);
    }
    return scalar(json, type.kind);
  }

  static Value scalar(const Json& json, Kind kind) {
    if (json.IsBool()) return Value::boolean(json.GetBool());
    if (json.IsNumber()) {
      if (kind == Kind::kQuantity) return Value::string(text_of(json));
      return json.IsInt64() ? Value::integer(json.GetInt64()) : Value::real(json.GetDouble());
    }
    if (!json.IsString()) return Value();
    if (kind != Kind::kTimestamp) return Value::borrowed(string_of(json));
    const auto time = cel::parse_timestamp(string_of(json));
    return time ? Value::timestamp(*time)
                : Value::error("timestamp is none: " + std::string(string_of(json)));
  }

  static std::string text_of(const Json& json) {
    std::string text;
    append_value(text, json);
    return text;
  }

  Value amounts(const Json& json) {
    Members& members = members_.emplace_back();
    if (json.IsObject())
      for (const auto& member : json.GetObject()) {
        const std::string_view name = string_of(member.name);
        const auto amount = Quantity::parse(member.value.IsString() ? std::string(string_of(member.value))
                                                                    : text_of(member.value));
        if (!amount) continue;
        members.add(name, Value::real(name == "cpu" ? static_cast<double>(amount->milli_value()) / 1000
                                                    : static_cast<double>(amount->value())));
      }
    members.finish();
    return Value::borrowed_map(&members);
  }

  const std::string json_;
  rapidjson::Document document_;
  std::deque<Members> members_;
  std::deque<Items> items_;
  Members* root_ = nullptr;
};

}  // namespace

std::shared_ptr<const FieldTree> FieldTree::read(FieldsOf of, std::string_view json) {
  static const auto kEmpty = std::make_shared<const Tree>(FieldsOf::kPods, "");
  if (json.empty()) return kEmpty;
  return std::make_shared<const Tree>(of, json);
}

}  // namespace winnow
