// Answers the cases of tests/oracle/cel/README.md with Winnow's CEL.
// Usage: winnow_cel < CASES > ANSWERS
#include <rapidjson/document.h>

#include <charconv>
#include <cstdint>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/cel/containers.h"
#include "cluster/cel/environment.h"
#include "cluster/cel/program.h"
#include "cluster/cel/type.h"
#include "cluster/cel/value.h"
#include "cluster/devices/cel_device.h"
#include "cluster/text/encoding.h"
#include "cluster/text/json.h"
#include "tests/oracle/winnow_cel_values.h"

namespace winnow::cel {
namespace {

using Json = rapidjson::Value;

constexpr std::uint64_t kCostLimit = 1'000'000;

std::string_view text_of(const Json& json) { return {json.GetString(), json.GetStringLength()}; }

template <class Number>
Number number_of(const Json& json) {
  Number number{};
  std::string_view text = text_of(json);
  if (text.starts_with('+')) text.remove_prefix(1);
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// Environments.

Environment base_environment() { return Environment::kubernetes(); }

Environment pod_environment() {
  Environment environment = base_environment();
  const Type dyn = Type::dyn();
  const Type text = Type::string();
  const std::vector<std::pair<const char*, Type>> variables = {
      {"d", dyn},
      {"e", dyn},
      {"i", Type::integer()},
      {"j", Type::integer()},
      {"u", Type::unsigned_integer()},
      {"v", Type::unsigned_integer()},
      {"x", Type::real()},
      {"y", Type::real()},
      {"s", text},
      {"t", text},
      {"b", Type::bytes()},
      {"p", Type::boolean()},
      {"q", Type::boolean()},
      {"li", Type::list(Type::integer())},
      {"ls", Type::list(text)},
      {"ld", Type::list(dyn)},
      {"mi", Type::map(text, Type::integer())},
      {"ms", Type::map(text, text)},
      {"md", Type::map(text, dyn)},
      {"mn", Type::map(Type::integer(), text)},
      {"ts", Type::timestamp()},
      {"tt", Type::timestamp()},
      {"du", Type::duration()},
      {"dv", Type::duration()},
  };
  for (const auto& [name, type] : variables) environment.add_variable(name, type);
  return environment;
}

Type type_of(std::string_view text) {
  static const std::map<std::string_view, Type> kTypes = {
      {"bool", Type::boolean()},        {"int", Type::integer()},       {"uint", Type::unsigned_integer()},
      {"double", Type::real()},         {"string", Type::string()},     {"bytes", Type::bytes()},
      {"timestamp", Type::timestamp()}, {"duration", Type::duration()}, {"null", Type::null()}};
  if (const auto named = kTypes.find(text); named != kTypes.end()) return named->second;
  const std::size_t open = text.find('(');
  if (open == std::string_view::npos) return Type::dyn();
  const std::string_view inner = text.substr(open + 1, text.size() - open - 2);
  if (text.starts_with("list(")) return Type::list(type_of(inner));
  const std::size_t comma = inner.find(',');
  return Type::map(type_of(inner.substr(0, comma)), type_of(inner.substr(comma + 1)));
}

/// The base environment with cel.bind and these variables.
Environment declaring(const Json& variables) {
  Environment environment = base_environment();
  environment.add_macros(binding_macros());
  for (const auto& variable : variables.GetObject()) {
    environment.add_variable(std::string(text_of(variable.name)), type_of(text_of(variable.value)));
  }
  return environment;
}

const Environment& environment_of(const Json& asked) {
  static const Environment kPod = pod_environment();
  // What an attribute is hangs on what an API server knows.
  static const Environment kPlainDevice = make_device_environment(Type::any(), false);
  static Environment declared;
  const std::string_view name = text_of(asked["env"]);
  if (name == "spec") return declared = declaring(asked["declare"]);
  return name == "pod" ? kPod : name == "dra" ? device_environment() : kPlainDevice;
}

// Inputs.

Value read(const Json& typed);

Value read_list(const Json& items) {
  std::vector<Value> values;
  for (const Json& item : items.GetArray()) values.push_back(read(item));
  return Value::list_of(std::move(values));
}

Value read_map(const Json& entries) {
  auto map = std::make_unique<EntryMap>();
  for (const Json& entry : entries.GetArray()) map->set(read(entry[0]), read(entry[1]));
  return Value::map(map.release());
}

Value read(const Json& typed) {
  const auto& member = *typed.MemberBegin();
  const std::string_view kind = text_of(member.name);
  const Json& of = member.value;
  if (kind == "null") return {};
  if (kind == "bool") return Value::boolean(of.GetBool());
  if (kind == "int") return Value::integer(number_of<std::int64_t>(of));
  if (kind == "uint") return Value::unsigned_integer(number_of<std::uint64_t>(of));
  if (kind == "double") return Value::real(number_of<double>(of));
  if (kind == "string") return Value::string(std::string(text_of(of)));
  if (kind == "bytes") return Value::bytes(from_base64(text_of(of)).value_or(""));
  if (kind == "duration") return Value::duration(number_of<std::int64_t>(of));
  if (kind == "timestamp") {
    return Value::timestamp({number_of<std::int64_t>(of[0]), number_of<std::uint32_t>(of[1]), 0});
  }
  return kind == "list" ? read_list(of) : read_map(of);
}

/// `function(text)`, made as an expression makes it.
Value made_by(std::string_view function, std::string_view text) {
  static const Environment kText = [] {
    Environment environment = base_environment();
    environment.add_variable("text", Type::string());
    return environment;
  }();
  static std::map<std::string, Program, std::less<>> programs;
  auto found = programs.find(function);
  if (found == programs.end()) {
    auto program = Program::compile(std::string(function) + "(text)", kText);
    found = programs.emplace(std::string(function), std::move(*program)).first;
  }
  // Texts of inputs live as long as the program runs.
  const Value argument = Value::string(std::string(text));
  return found->second.evaluate(std::span(&argument, 1)).value;
}

Value attribute_item(std::string_view kind, const Json& of) {
  if (kind.starts_with("int")) return Value::integer(of.GetInt64());
  if (kind.starts_with("bool")) return Value::boolean(of.GetBool());
  if (kind.starts_with("string")) return Value::string(std::string(text_of(of)));
  return made_by("semver", text_of(of));
}

Value attribute_value(const Json& typed) {
  const auto& member = *typed.MemberBegin();
  const std::string_view kind = text_of(member.name);
  if (!member.value.IsArray()) return attribute_item(kind, member.value);
  std::vector<Value> items;
  for (const Json& item : member.value.GetArray()) items.push_back(attribute_item(kind, item));
  return Value::list_of(std::move(items));
}

/// The maps of domains: to select one that is not there gives an empty map.
class DomainMap : public EntryMap {
 public:
  std::optional<Value> find(const Value& key) const override {
    return EntryMap::find(key).value_or(Value::map(std::make_unique<EntryMap>().release()));
  }
  bool has(const Value& key) const override { return EntryMap::find(key).has_value(); }
};

Value by_domain(const Json* entries, const std::string& driver, Value (*read_one)(const Json&)) {
  std::map<std::string, std::unique_ptr<EntryMap>> domains;
  if (entries != nullptr) {
    for (const auto& entry : entries->GetObject()) {
      const std::string name(text_of(entry.name));
      const std::size_t slash = name.find('/');
      auto& domain = domains[slash == std::string::npos ? driver : name.substr(0, slash)];
      if (!domain) domain = std::make_unique<EntryMap>();
      domain->set(Value::string(slash == std::string::npos ? name : name.substr(slash + 1)),
                  read_one(entry.value));
    }
  }
  auto map = std::make_unique<DomainMap>();
  for (auto& [name, domain] : domains) map->set(Value::string(name), Value::map(domain.release()));
  return Value::map(map.release());
}

const Json* find(const Json& object, const char* name) {
  const auto found = object.FindMember(name);
  return found == object.MemberEnd() ? nullptr : &found->value;
}

Value read_device(const Json& device) {
  const std::string driver(text_of(device["driver"]));
  const Json* shared = find(device, "allowMultipleAllocations");
  auto map = std::make_unique<EntryMap>();
  map->set(Value::string("driver"), Value::string(driver));
  map->set(Value::string("allowMultipleAllocations"), Value::boolean(shared != nullptr && shared->GetBool()));
  map->set(Value::string("attributes"), by_domain(find(device, "attributes"), driver, attribute_value));
  map->set(Value::string("capacity"), by_domain(find(device, "capacity"), driver, [](const Json& amount) {
             return made_by("quantity", text_of(amount));
           }));
  return Value::map(map.release());
}

/// The values by the names of their variables.
using Input = std::map<std::string, Value, std::less<>>;

Input read_input(const Json& line) {
  Input input;
  if (const Json* device = find(line, "device")) input.emplace("device", read_device(*device));
  if (const Json* variables = find(line, "vars")) {
    for (const auto& variable : variables->GetObject())
      input.emplace(text_of(variable.name), read(variable.value));
  }
  return input;
}

// Answers.

void append_member(std::string& out, std::string_view name, std::string_view text) {
  out += ",\"";
  out += name;
  out += "\":";
  append_quoted(out, text);
}

std::string answer_to(const Json& asked, const Input& input) {
  std::string out = "{\"id\":";
  append_quoted(out, text_of(asked["id"]));
  const Environment& environment = environment_of(asked);
  const auto program = Program::compile(text_of(asked["expr"]), environment);
  if (!program) {
    const CompileError& first = program.error().front();
    append_member(out, "compile", first.message);
    append_member(out, "at", std::to_string(first.line) + ':' + std::to_string(first.column));
    return out + '}';
  }
  append_member(out, "type", program->result_type().text());
  std::vector<Value> variables;
  for (const Variable& variable : environment.variables()) {
    const auto found = input.find(variable.name);
    variables.push_back(found == input.end() ? Value() : found->second);
  }
  const Json* limit = find(asked, "limit");
  const Evaluation done =
      program->evaluate(variables, {.cost = limit == nullptr ? kCostLimit : limit->GetUint64()});
  if (done.value.is_error()) {
    append_member(out, "error", done.value.message());
  } else {
    out += ",\"value\":";
    append_typed(out, done.value);
  }
  return out + ",\"cost\":" + std::to_string(done.cost) + '}';
}

void answer_all() {
  std::map<std::string, Input, std::less<>> inputs;
  const Input none;
  std::string line;
  while (std::getline(std::cin, line)) {
    rapidjson::Document read;
    read.Parse(line.c_str(), line.size());
    if (const Json* name = find(read, "input")) {
      // An input's cases follow it.
      inputs.clear();
      inputs.emplace(text_of(*name), read_input(read));
      continue;
    }
    const Json* with = find(read, "with");
    const auto input = with == nullptr ? inputs.end() : inputs.find(text_of(*with));
    std::cout << answer_to(read, input == inputs.end() ? none : input->second) << '\n';
  }
}

}  // namespace
}  // namespace winnow::cel

int main() {
  std::ios::sync_with_stdio(false);
  winnow::cel::answer_all();
}
