#include "cluster/devices/cel_selector.h"

#include <algorithm>
#include <expected>
#include <format>
#include <span>
#include <utility>
#include <vector>

#include "cluster/cel/type.h"
#include "cluster/cel/value.h"
#include "cluster/devices/cel_device.h"
#include "cluster/text/characters.h"

namespace winnow {
namespace {

/// The message without Winnow's own hints, and with what upstream adds.
std::string upstream_message(std::string message) {
  if (const std::size_t hint = message.find(" (did you mean "); hint != std::string::npos)
    message.resize(hint);
  if (message.starts_with("undeclared reference to")) message += " (in container '')";
  return message;
}

std::string_view line_of(std::string_view text, int line) {
  for (; line > 1; --line) text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  return text.substr(0, text.find('\n'));
}

/// The line with the place below it. Upstream: cel-go v0.29.2 common/error.go ToDisplayString.
std::string snippet(std::string_view line, int column) {
  std::string shown(line);
  std::ranges::replace(shown, '\t', ' ');
  std::string marks;
  std::size_t at = 0;
  const auto next = [&] {
    const std::size_t size = at < shown.size() ? std::max<std::size_t>(utf8_length(shown, at), 1) : 1;
    at += size;
    return size > 1;
  };
  for (int i = 1; i < column && at < shown.size(); ++i) marks += next() ? "\uff0e" : ".";
  marks += next() ? "\uff3e" : "^";
  return std::format("\n | {}\n | {}", shown, marks);
}

std::string to_upstream(const std::vector<cel::CompileError>& errors, std::string_view expression) {
  constexpr std::size_t kLongestSnippet = 16384;
  if (!errors.empty() && errors.front().stage == cel::CompileStage::kPlan)
    return "program instantiation failed: " + errors.front().message;
  std::string text = "compilation failed: ";
  for (const cel::CompileError& error : errors) {
    if (&error != &errors.front()) text += '\n';
    text +=
        std::format("ERROR: <input>:{}:{}: {}", error.line, error.column, upstream_message(error.message));
    if (error.line < 1) continue;
    const std::string_view line = line_of(expression, error.line);
    if (line.size() <= kLongestSnippet) text += snippet(line, error.column);
  }
  return text;
}

/// Why the value is no bool, as cel-go says it of each type.
/// Upstream: cel-go v0.29.2 common/types, ConvertToNative; k8s.io/apiserver v0.37.2 pkg/cel.
std::string conversion_error(const cel::Value& value) {
  using cel::Kind;
  switch (value.kind()) {
    case Kind::kInt:
      return "unsupported type conversion from 'int' to bool";
    case Kind::kUint:
      return "unsupported type conversion from 'uint' to bool";
    case Kind::kDouble:
      return "type conversion error from Double to 'bool'";
    case Kind::kString:
      return "unsupported native conversion from string to 'bool'";
    case Kind::kBytes:
      return "type conversion error from Bytes to 'bool'";
    case Kind::kTimestamp:
      return "type conversion error from 'Timestamp' to 'bool'";
    case Kind::kDuration:
      return "type conversion error from 'Duration' to 'bool'";
    case Kind::kList:
      return "type conversion error from list to 'bool'";
    case Kind::kMap:
      return "type conversion error from map to 'bool'";
    case Kind::kNull:
      return "type conversion error from 'null_type' to 'bool'";
    case Kind::kOpaque: {
      std::string_view name = cel::type_name_of(value);
      name.remove_prefix(std::min(name.rfind('.') + 1, name.size()));
      return std::format("type conversion error from '{}' to 'bool'", name);
    }
    default:
      return std::format("type conversion not supported for '{}'", cel::type_name_of(value));
  }
}

/// Upstream: EnhanceRuntimeError.
std::string enhanced(std::string message) {
  if (message.find("no such key:") != std::string::npos)
    message +=
        ". consider using CEL optional chaining (.? followed by orValue()) or guarding the check with has() "
        "for optional fields";
  return message;
}

/// The result of the expression; nothing if the caller ended it; else an error.
std::expected<std::optional<bool>, std::string> matches(const cel::Program& program, const Device& device,
                                                        std::string_view driver,
                                                        const cel::EvaluationLimits& limits) {
  if (auto error = attribute_error(device)) return std::unexpected(*std::move(error));
  const CelDevice variable(device, driver);
  const cel::Value value = variable.value();
  const cel::Evaluation result = program.evaluate(std::span(&value, 1), limits);
  if (result.interrupted) return std::nullopt;
  if (result.value.is_error()) return std::unexpected(result.value.message());
  if (result.value.is(cel::Kind::kBool)) return result.value.as_bool();
  // An optional that has a value is converted as that value.
  const cel::Value* held = result.value.is(cel::Kind::kOptional) ? result.value.as_optional() : nullptr;
  if (held != nullptr && held->is(cel::Kind::kBool)) return held->as_bool();
  if (result.value.is(cel::Kind::kOptional) && held == nullptr)
    return std::unexpected(
        "CEL result of type optional_type could not be converted to bool: optional.none() dereference");
  return std::unexpected(std::format("CEL result of type {} could not be converted to bool: {}",
                                     cel::type_name_of(result.value),
                                     conversion_error(held == nullptr ? result.value : *held)));
}

}  // namespace

CelSelector::CelSelector(std::string_view expression) {
  auto program = cel::Program::compile(expression, device_environment());
  if (!program) {
    compile_error_ = to_upstream(program.error(), expression);
    return;
  }
  const cel::Type& type = program->result_type();
  if (type.is_exactly(cel::Type::boolean()) || type.is_exactly(cel::Type::dyn()))
    program_.emplace(*std::move(program));
  else
    compile_error_ = std::format("must evaluate to bool or the unknown type, not {}", type.text());
}

SelectorVerdict CelSelector::evaluate(const PublishedDevice& device, std::string_view driver,
                                      cel::EvaluationLimits limits) const {
  limits.cost = kMostSelectorCost;
  auto result = matches(*program_, *device.device, driver, limits);
  if (!result) return {.error = enhanced(std::move(result.error()))};
  if (!*result) return {.interrupted = true};
  kept_.set(device.slot, device.version << 2 | (**result ? kMatches : kDiffers));
  return {.matches = **result};
}

}  // namespace winnow
