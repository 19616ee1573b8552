#include "cluster/cel/type_mapping.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <string>
#include <string_view>

namespace winnow::cel {
namespace {

constexpr std::string_view kPrefix = "_var";

std::size_t number_of(const Type& variable) {
  std::size_t number = 0;
  const std::string& name = variable.name();
  std::from_chars(name.data() + kPrefix.size(), name.data() + name.size(), number);
  return number;
}

Type replace(const Type& type, std::map<std::string, Type>& fresh, TypeMapping& mapping) {
  if (type.is(TypeKind::kTypeParam)) {
    const auto found = fresh.find(type.name());
    return found != fresh.end() ? found->second
                                : fresh.emplace(type.name(), mapping.new_variable()).first->second;
  }
  if (type.parameters().empty()) return type;
  std::vector<Type> parameters;
  for (const Type& parameter : type.parameters()) parameters.push_back(replace(parameter, fresh, mapping));
  return type.with_parameters(std::move(parameters));
}

bool is_nullable(const Type& type) {
  switch (type.kind()) {
    case TypeKind::kOpaque:
    case TypeKind::kStruct:
    case TypeKind::kAny:
    case TypeKind::kDuration:
    case TypeKind::kTimestamp:
      return true;
    default:
      return type.accepts(Type::null());
  }
}

bool is_equal_or_less_specific(const Type& a, const Type& b) {
  if (a.is_dyn() || a.is(TypeKind::kTypeParam)) return true;
  if (b.is_dyn() || b.is(TypeKind::kTypeParam)) return false;
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case TypeKind::kOpaque:
      if (a.name() != b.name() || a.parameters().size() != b.parameters().size()) return false;
      [[fallthrough]];
    case TypeKind::kList:
    case TypeKind::kMap:
      return std::ranges::equal(a.parameters(), b.parameters(), is_equal_or_less_specific);
    case TypeKind::kType:
      return true;
    default:
      return a.is_exactly(b);
  }
}

}  // namespace

Type most_general(const Type& a, const Type& b) { return is_equal_or_less_specific(a, b) ? a : b; }

Type TypeMapping::new_variable() {
  types_.emplace_back();
  return Type::parameter(std::string(kPrefix) + std::to_string(types_.size() - 1));
}

std::vector<Type> TypeMapping::instantiate(std::span<const Type> types) {
  std::map<std::string, Type> fresh;
  std::vector<Type> result;
  for (const Type& type : types) result.push_back(replace(type, fresh, *this));
  return result;
}

const Type* TypeMapping::find(const Type& variable) const {
  if (!variable.is(TypeKind::kTypeParam)) return nullptr;
  const std::size_t number = number_of(variable);
  return number < types_.size() && types_[number] ? &*types_[number] : nullptr;
}

void TypeMapping::set(const Type& variable, const Type& type) {
  const std::size_t number = number_of(variable);
  trail_.emplace_back(number, types_[number]);
  types_[number] = type;
}

void TypeMapping::undo(std::size_t size) {
  while (trail_.size() > size) {
    types_[trail_.back().first] = std::move(trail_.back().second);
    trail_.pop_back();
  }
}

bool TypeMapping::unify(const Type& a, const Type& b) { return unify(std::span(&a, 1), std::span(&b, 1)); }

bool TypeMapping::unify(std::span<const Type> a, std::span<const Type> b) {
  const std::size_t size = trail_.size();
  if (assign(a, b)) {
    trail_.clear();
    return true;
  }
  undo(size);
  return false;
}

bool TypeMapping::assign(std::span<const Type> a, std::span<const Type> b) {
  return std::ranges::equal(a, b, [this](const Type& x, const Type& y) { return assign(x, y); });
}

bool TypeMapping::assign(const Type& a, const Type& b) {
  if (b.is(TypeKind::kTypeParam)) {
    const auto [valid, had] = assign_variable(a, b);
    if (valid) return true;
    if (had) return false;
  }
  if (a.is(TypeKind::kTypeParam)) return assign_variable(b, a).first;
  if (a.is_dyn_or_error() || b.is_dyn_or_error()) return true;
  if (a.is(TypeKind::kNull)) return is_nullable(b);
  if (b.is(TypeKind::kNull)) return is_nullable(a);
  switch (a.kind()) {
    case TypeKind::kType:
      return b.is(TypeKind::kType);
    case TypeKind::kOpaque:
    case TypeKind::kList:
    case TypeKind::kMap:
      return a.kind() == b.kind() && a.name() == b.name() && assign(a.parameters(), b.parameters());
    default:
      return b.accepts(a);
  }
}

std::pair<bool, bool> TypeMapping::assign_variable(const Type& type, const Type& variable) {
  if (type.is_exactly(variable)) return {true, true};
  if (const Type* found = find(variable)) {
    const Type substitute = *found;
    if (type.is_exactly(substitute)) return {true, true};
    if (!assign(type, substitute)) return {false, true};
    const Type general = most_general(type, substitute);
    if (is_free_of(variable, general)) set(variable, general);
    return {true, true};
  }
  if (!is_free_of(variable, type)) return {false, false};
  set(variable, type);
  return {true, false};
}

bool TypeMapping::is_free_of(const Type& variable, const Type& within) const {
  if (variable.is_exactly(within)) return false;
  if (within.is(TypeKind::kTypeParam)) {
    const Type* found = find(within);
    return found == nullptr || is_free_of(variable, *found);
  }
  return std::ranges::all_of(within.parameters(),
                             [&](const Type& parameter) { return is_free_of(variable, parameter); });
}

Type TypeMapping::substitute(const Type& type, bool free_to_dyn) const {
  if (const Type* found = find(type)) return substitute(*found, free_to_dyn);
  if (type.is(TypeKind::kTypeParam)) return free_to_dyn ? Type::dyn() : type;
  if (type.parameters().empty()) return type;
  std::vector<Type> parameters;
  for (const Type& parameter : type.parameters()) parameters.push_back(substitute(parameter, free_to_dyn));
  return type.with_parameters(std::move(parameters));
}

}  // namespace winnow::cel
