#include "cluster/rule/expression_args.h"

#include <format>
#include <utility>

#include "cluster/expressions/expression.h"
#include "cluster/text/go_format.h"

namespace winnow {
namespace {

using expressions::Expression;
using expressions::ResultKind;
using expressions::Scope;

constexpr Field kExpressionFields[] = {fields::kKind,
                                       fields::kApiVersion,
                                       {"filter", &fields::kString},
                                       {"reason", &fields::kString},
                                       {"score", &fields::kString},
                                       {"normalize", &fields::kString},
                                       {"onError", &fields::kString},
                                       {"when", &fields::kString},
                                       {"assumeUsage", &fields::kAnything},
                                       {"params", &fields::kAnything}};
constexpr FieldType kExpressionType = fields::object(kExpressionFields);
/// In a Policy, whose arguments are not typed objects.
constexpr FieldType kPolicyExpressionType = fields::object(std::span(kExpressionFields).subspan(2));

FieldResult check_expression(std::string_view path, std::string_view field, const std::string& text,
                             Scope scope, ResultKind kind) {
  if (text.empty()) return {};
  if (auto good = Expression::find(text, scope, kind); !good)
    return std::unexpected(std::format("{}: {}", child(path, field), good.error()));
  return {};
}

FieldResult check_word(std::string_view path, const std::string& word,
                       std::initializer_list<std::string_view> known) {
  if (std::ranges::contains(known, std::string_view(word))) return {};
  std::string words;
  for (const std::string_view one : known) words += (words.empty() ? "" : ", ") + go_quote(one);
  return std::unexpected(
      std::format("{}: Unsupported value: {}: supported values: {}", path, go_quote(word), words));
}

/// Where the part ends that begins with "{{": at the first "}}" behind which it is an expression. A map in it
/// may end so, too.
std::size_t end_of_part(std::string_view reason, std::size_t begin) {
  const std::size_t first = reason.find("}}", begin);
  for (std::size_t end = first; end != std::string_view::npos; end = reason.find("}}", end + 1))
    if (Expression::find(reason.substr(begin + 2, end - begin - 2), Scope::kNodes, ResultKind::kAnything))
      return end;
  return first;
}

FieldResult check_reason(std::string_view path, std::string_view reason) {
  for (std::size_t at = reason.find("{{"); at != std::string_view::npos; at = reason.find("{{")) {
    const std::size_t end = end_of_part(reason, at);
    if (end == std::string_view::npos)
      return std::unexpected(
          std::format("{}: {{{{ without an end: expected {{{{ EXPRESSION }}}}", child(path, "reason")));
    const std::string part(reason.substr(at + 2, end - at - 2));
    if (auto good = check_expression(path, "reason", part, Scope::kNodes, ResultKind::kAnything); !good)
      return good;
    reason.remove_prefix(end + 2);
  }
  return {};
}

FieldResult check(const ExpressionArgs& args, std::string_view path) {
  if (args.filter.empty() && args.score.empty())
    return std::unexpected(std::format("{}: Required value: a filter or a score", path));
  if (auto good = check_expression(path, "filter", args.filter, Scope::kNodes, ResultKind::kBool); !good)
    return good;
  if (auto good = check_expression(path, "score", args.score, Scope::kNodes, ResultKind::kNumber); !good)
    return good;
  if (auto good = check_expression(path, "when", args.when, Scope::kPod, ResultKind::kBool); !good)
    return good;
  if (auto good = check_reason(path, args.reason); !good) return good;
  if (auto good = check_word(child(path, "normalize"), args.normalize, {"linear", "none", "reverse"}); !good)
    return good;
  return check_word(child(path, "onError"), args.on_error, {"fail", "fit", "refuse"});
}

/// A share, as a number.
bool read_share(const Reader& r, double& share) {
  return r.for_each_member([&](std::string_view name, const Reader& value) {
    if (name != "assumeUsage" || value.is_null()) return true;
    const double number = value.value().IsNumber() ? value.value().GetDouble() : -1;
    if (!(number >= 0 && number <= 10)) return value.fail("a number from 0 to 10");
    share = number;
    return true;
  });
}

/// @return false with the reader's error set.
bool read_args(const Reader& r, ExpressionArgs& args) {
  return r.read("filter", args.filter) && r.read("reason", args.reason) && r.read("score", args.score) &&
         r.read("normalize", args.normalize) && r.read("onError", args.on_error) &&
         r.read("when", args.when) && read_share(r, args.assume_usage) &&
         r.within("params", [&](const Reader& params) {
           args.params = R"({"params":)";
           append_value(args.params, params.value());
           args.params += '}';
           return true;
         });
}

PluginArgs read(const WrittenArgs& written) {
  ExpressionArgs args;
  args.name = written.plugin;
  const Reader& r = written.object;
  read_args(r, args);
  FieldResult sound;
  double share = 0;
  if (!read_share(r, share))
    sound = std::unexpected(
        std::format("{}: expected a number from 0 to 10", child(written.path, "assumeUsage")));
  else if (args.params.empty() && r.has("params"))
    sound = std::unexpected(std::format("{}: expected a map", child(written.path, "params")));
  if (sound) sound = check(args, written.path);
  return {std::move(args), std::move(sound)};
}

}  // namespace

const ArgsSchema kExpressionArgs{kExpressionType, read};

// In a Policy.

namespace {

/// Sets the reader's error to one that begins with the path of a field. @return false.
bool complain_as(const Reader& r, std::string_view error) {
  bool told = false;
  const auto try_at = [&](const Reader& place) {
    const std::string start = place.path() + ": ";
    if (!told && error.starts_with(start)) {
      place.complain(error.substr(start.size()));
      told = true;
    }
  };
  try_at(r);
  r.for_each_member([&](std::string_view, const Reader& member) { return try_at(member), true; });
  return told ? false : r.complain(error);
}

bool read_of_policy(const Reader& r, ExpressionArgs args, Arguments& target) {
  if (!read_args(r, args)) return false;
  if (FieldResult sound = check(args, r.path()); !sound) return complain_as(r, sound.error());
  target = std::move(args);
  return true;
}

bool read_of_predicate(const Reader& r, Arguments& target) {
  for (const std::string_view of_score : {"score", "normalize"})
    if (r.has(of_score)) return r.complain(std::format("{} is of priorities: expected a filter", of_score));
  return read_of_policy(r, {}, target);
}

bool read_of_priority(const Reader& r, Arguments& target) {
  for (const std::string_view of_filter : {"filter", "reason"})
    if (r.has(of_filter)) return r.complain(std::format("{} is of predicates: expected a score", of_filter));
  return read_of_policy(r, {.max_score = kMaxClassicScore}, target);
}

}  // namespace

const PolicyArgument kExpressionOfPredicate{"expression", kPolicyExpressionType, read_of_predicate};
const PolicyArgument kExpressionOfPriority{"expression", kPolicyExpressionType, read_of_priority};

Arguments with_name(Arguments arguments, std::string_view name) {
  const auto* const of_expression = arguments.get_if<ExpressionArgs>();
  if (of_expression == nullptr) return arguments;
  ExpressionArgs named = *of_expression;
  named.name = name;
  return named;
}

std::string filled_reason(std::string_view reason,
                          FunctionRef<std::string(const expressions::Expression&)> value_of) {
  std::string filled;
  for (std::size_t at = reason.find("{{"); at != std::string_view::npos; at = reason.find("{{")) {
    const std::size_t end = end_of_part(reason, at);
    if (end == std::string_view::npos) break;
    filled += reason.substr(0, at);
    const auto part =
        Expression::find(reason.substr(at + 2, end - at - 2), Scope::kNodes, ResultKind::kAnything);
    filled += part ? value_of(**part) : std::string(reason.substr(at, end + 2 - at));
    reason.remove_prefix(end + 2);
  }
  return filled.append(reason);
}

namespace {

/// What all expressions of the arguments read: those of a filter, or of a score, or both.
expressions::Reads reads_of(const ExpressionArgs& args, bool filters, bool scores) {
  expressions::Reads reads;
  const auto add = [&](const std::string& text, Scope scope, ResultKind kind) {
    if (text.empty()) return;
    if (const auto found = Expression::find(text, scope, kind)) reads += (*found)->reads();
  };
  if (filters) add(args.filter, Scope::kNodes, ResultKind::kBool);
  if (scores) add(args.score, Scope::kNodes, ResultKind::kNumber);
  add(args.when, Scope::kPod, ResultKind::kBool);
  return reads;
}

/// A row's answer holds while the row does, unless time or other nodes change it.
Reads reads_of(const Arguments& arguments, bool filters) {
  const auto* const args = arguments.get_if<ExpressionArgs>();
  if (args == nullptr) return Reads::kCluster;
  const expressions::Reads reads = reads_of(*args, filters, !filters);
  if (reads.cluster || reads.now || reads.age) return Reads::kCluster;
  return reads.images || reads.offers ? Reads::kNodes : Reads::kNode;
}

}  // namespace

WantedByExpressions wanted_by(const ExpressionArgs& args) {
  expressions::Reads reads = reads_of(args, /*filters=*/true, /*scores=*/true);
  filled_reason(args.reason, [&](const Expression& part) {
    reads += part.reads();
    return std::string();
  });
  return {std::move(reads.pod_fields), std::move(reads.node_fields), reads.usage, reads.metrics};
}

Reads filter_reads(const Arguments& arguments) { return reads_of(arguments, /*filters=*/true); }
Reads score_reads(const Arguments& arguments) { return reads_of(arguments, /*filters=*/false); }

}  // namespace winnow
