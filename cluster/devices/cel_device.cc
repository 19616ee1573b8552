#include "cluster/devices/cel_device.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <format>
#include <utility>
#include <variant>
#include <vector>

#include "cluster/cel/library/kubernetes_values.h"
#include "cluster/cel/macros.h"

namespace winnow {
namespace {

using cel::Value;

constexpr std::array<std::string_view, 4> kFields = {"driver", "allowMultipleAllocations", "attributes",
                                                     "capacity"};

struct QualifiedName {
  std::string_view domain;
  std::string_view id;
};

/// Upstream: parseQualifiedName.
QualifiedName split_name(std::string_view name, std::string_view driver) {
  const std::size_t slash = name.find('/');
  if (slash == std::string_view::npos) return {driver, name};
  return {name.substr(0, slash), name.substr(slash + 1)};
}

Value to_value(const DeviceAttribute& attribute) {
  if (const auto* number = std::get_if<std::int64_t>(&attribute)) return Value::integer(*number);
  if (const auto* boolean = std::get_if<bool>(&attribute)) return Value::boolean(*boolean);
  if (const auto* text = std::get_if<std::string>(&attribute)) return Value::borrowed(*text);
  if (const auto* version = std::get_if<DeviceVersion>(&attribute))
    if (auto parsed = cel::SemverValue::parse(version->text)) return cel::semver_value(*std::move(parsed));
  return Value::error("unsupported attribute value");
}

Value to_value(const DeviceCapacity& capacity) {
  if (auto amount = cel::QuantityValue::parse(capacity.value.exact_text()))
    return cel::quantity_value(*std::move(amount));
  return Value::error("unsupported capacity value");
}

/// The entries of one domain by id.
template <class Entries>
class EntriesById : public cel::Map {
 public:
  EntriesById(const Entries& entries, std::string_view driver, std::string_view domain)
      : entries_(entries), driver_(driver), domain_(domain) {
    for (const auto& [name, entry] : entries_) {
      const QualifiedName split = split_name(name, driver_);
      if (split.domain == domain_ && !is_hidden(name)) ids_.push_back(split.id);
    }
  }

  std::size_t size() const override { return ids_.size(); }
  std::optional<Value> find(const Value& key) const override {
    const auto* entry = find_entry(key);
    if (entry == nullptr) return std::nullopt;
    return to_value(*entry);
  }
  bool has(const Value& key) const override { return find_entry(key) != nullptr; }
  Value key_at(std::size_t index) const override { return Value::borrowed(ids_[index]); }

 private:
  /// Whether it is a name without domain beside the same name with the driver's. Upstream takes any of them.
  bool is_hidden(std::string_view name) const {
    return name.find('/') == std::string_view::npos && entries_.contains(qualified(name));
  }
  std::string qualified(std::string_view id) const { return std::string(domain_).append("/").append(id); }

  const Entries::mapped_type* find_entry(const Value& key) const {
    if (!key.is(cel::Kind::kString)) return nullptr;
    if (const auto found = entries_.find(qualified(key.text())); found != entries_.end())
      return &found->second;
    if (domain_ != driver_ || key.text().find('/') != std::string_view::npos) return nullptr;
    const auto found = entries_.find(key.text());
    return found == entries_.end() ? nullptr : &found->second;
  }

  const Entries& entries_;
  std::string_view driver_;
  std::string_view domain_;
  std::vector<std::string_view> ids_;
};

template <class Entries>
std::vector<std::string_view> domains_of(const Entries& entries, std::string_view driver) {
  std::vector<std::string_view> domains;
  for (const auto& [name, entry] : entries) domains.push_back(split_name(name, driver).domain);
  std::ranges::sort(domains);
  domains.erase(std::ranges::unique(domains).begin(), domains.end());
  return domains;
}

}  // namespace

cel::Environment make_device_environment(const cel::Type& attribute, bool has_multiple) {
  using cel::Type;
  cel::Environment environment = cel::Environment::kubernetes();
  environment.add_macros(cel::binding_macros());
  const Type text = Type::string();
  std::vector<cel::Variable> fields = {
      {"driver", text},
      {"attributes", Type::map(text, Type::map(text, attribute))},
      {"capacity", Type::map(text, Type::map(text, cel::quantity_type()))},
  };
  if (has_multiple) fields.push_back({"allowMultipleAllocations", Type::boolean()});
  environment.add_object_type("kubernetes.DRADevice", std::move(fields));
  environment.add_type_alias("duration", Type::duration());
  environment.add_type_alias("timestamp", Type::timestamp());
  environment.add_variable("device", Type::object("kubernetes.DRADevice"));
  return environment;
}

const cel::Environment& device_environment() {
  static const cel::Environment kEnvironment = make_device_environment(cel::Type::dyn(), true);
  return kEnvironment;
}

std::optional<std::string> attribute_error(const Device& device) {
  for (const auto& [name, attribute] : device.attributes) {
    if (std::holds_alternative<UnsupportedAttribute>(attribute))
      return std::format("attribute {}: unsupported attribute value", name);
    const auto* version = std::get_if<DeviceVersion>(&attribute);
    if (version == nullptr) continue;
    const auto parsed = cel::SemverValue::parse(version->text);
    if (!parsed) return std::format("attribute {}: parse semantic version: {}", name, parsed.error());
  }
  return std::nullopt;
}

template <class Entries>
std::size_t DomainMap<Entries>::size() const {
  return domains_of(entries_, driver_).size();
}

template <class Entries>
bool DomainMap<Entries>::has(const Value& key) const {
  if (!key.is(cel::Kind::kString)) return false;
  return std::ranges::any_of(
      entries_, [&](const auto& entry) { return split_name(entry.first, driver_).domain == key.text(); });
}

template <class Entries>
std::optional<Value> DomainMap<Entries>::find(const Value& key) const {
  if (!has(key)) return Value::map(new cel::EntryMap);
  // The map must not hold on to the key's own text.
  const auto entry = std::ranges::find_if(
      entries_, [&](const auto& one) { return split_name(one.first, driver_).domain == key.text(); });
  return Value::map(new EntriesById<Entries>(entries_, driver_, split_name(entry->first, driver_).domain));
}

template <class Entries>
Value DomainMap<Entries>::key_at(std::size_t index) const {
  return Value::borrowed(domains_of(entries_, driver_)[index]);
}

template class DomainMap<DeviceAttributes>;
template class DomainMap<DeviceCapacities>;

std::optional<Value> CelDevice::find(const Value& key) const {
  if (!key.is(cel::Kind::kString)) return std::nullopt;
  const std::string_view name = key.text();
  if (name == kFields[0]) return Value::borrowed(driver_);
  if (name == kFields[1]) return Value::boolean(device_.allow_multiple_allocations.value_or(false));
  if (name == kFields[2]) return Value::borrowed_map(&attributes_);
  if (name == kFields[3]) return Value::borrowed_map(&capacity_);
  return std::nullopt;
}

Value CelDevice::key_at(std::size_t index) const { return Value::borrowed(kFields[index]); }

}  // namespace winnow
