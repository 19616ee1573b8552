#include "cluster/cel/environment.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace winnow::cel {

void Environment::add_variable(std::string name, Type type) {
  variable_index_[name] = variables_.size();
  variables_.push_back({std::move(name), std::move(type)});
}

void Environment::add_object_type(std::string name, std::vector<Variable> fields) {
  objects_.insert_or_assign(std::move(name), std::move(fields));
}

void Environment::add_type_name(const Type& type) { types_.insert_or_assign(type.name(), type); }

void Environment::add_type_alias(std::string name, const Type& type) {
  types_.insert_or_assign(std::move(name), type);
}

void Environment::add_function(Function function) {
  const auto found = functions_.find(function.name);
  if (found == functions_.end()) {
    std::string name = function.name;
    functions_.emplace(std::move(name), std::move(function));
    return;
  }
  std::ranges::move(function.overloads, std::back_inserter(found->second.overloads));
}

void Environment::add_macros(std::span<const Macro> macros) {
  macros_.insert(macros_.end(), macros.begin(), macros.end());
}

std::ptrdiff_t Environment::find_variable(std::string_view name) const {
  const auto found = variable_index_.find(name);
  return found == variable_index_.end() ? -1 : static_cast<std::ptrdiff_t>(found->second);
}

const Type* Environment::find_type(std::string_view name) const {
  const auto found = types_.find(name);
  return found == types_.end() ? nullptr : &found->second;
}

const std::vector<Variable>* Environment::find_object(std::string_view name) const {
  const auto found = objects_.find(name);
  return found == objects_.end() ? nullptr : &found->second;
}

const Function* Environment::find_function(std::string_view name) const {
  const auto found = functions_.find(name);
  return found == functions_.end() ? nullptr : &found->second;
}

std::vector<std::string_view> Environment::names() const {
  std::vector<std::string_view> names;
  for (const Variable& variable : variables_) names.push_back(variable.name);
  for (const auto& [name, function] : functions_)
    if (!name.contains('@') && !name.contains('_')) names.push_back(name);
  for (const Macro& macro : macros_) names.push_back(macro.name);
  return names;
}

}  // namespace winnow::cel
