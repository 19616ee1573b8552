#include "extender/service/protocol/args.h"

#include <algorithm>
#include <array>

#include "cluster/api/names.h"
#include "cluster/client/servers/binder.h"
#include "cluster/state/view.h"
#include "cluster/text/json.h"
#include "cluster/text/json_scan.h"

namespace winnow {
namespace {

constexpr std::string_view kNull = "null";

}  // namespace

bool ArgsReader::read() {
  names_pending_ = false;
  if (!started_) {
    started_ = true;
    if (!scan_.expect('{')) return false;
    if (scan_.eat('}')) return scan_.expect_end();
    if (!read_key()) return false;
  }
  while (!names_pending_) {
    if (scan_.eat('}')) return scan_.expect_end();
    if (!scan_.eat(',')) return scan_.fail("',' or '}'");
    if (!read_key()) return false;
  }
  return true;
}

bool ArgsReader::read_key() {
  const std::string_view key = scan_.string();
  if (!scan_.expect(':')) return false;
  const char next = scan_.peek();
  if (key_is(key, "Pod")) {
    if (next != '{' && next != 'n') return scan_.fail("Pod to be an object");
    pod_ = scan_.value();
    if (pod_ == kNull) pod_ = {};
  } else if (key_is(key, "NodeNames")) {
    if (next != '[' && next != 'n') return scan_.fail("NodeNames to be an array");
    has_names_ = names_pending_ = next == '[';
    if (!names_pending_) scan_.value();
  } else if (key_is(key, "Nodes")) {
    if (next != '{' && next != 'n') return scan_.fail("Nodes to be an object");
    has_nodes_ = next == '{';
    return has_nodes_ ? read_nodes() : !scan_.value().empty();
  } else if (key_is(key, "Namespace")) {
    read_text(pod_namespace_);
  } else if (key_is(key, "Name")) {
    read_text(pod_name_);
  } else {
    scan_.value();
  }
  return !scan_.failed();
}

void ArgsReader::read_text(std::string_view& raw) {
  const bool is_null = scan_.peek() == 'n';
  raw = is_null ? scan_.value() : scan_.string();
  if (is_null) raw = {};
}

bool ArgsReader::fail_at(std::string_view part, std::string_view expected) {
  scan_.move_to(part.data());
  return scan_.fail(expected);
}

bool ArgsReader::read_nodes() {
  nodes_.clear();
  scan_.expect('{');
  if (scan_.eat('}')) return true;
  do {
    const std::string_view key = scan_.string();
    if (!scan_.expect(':')) return false;
    if (!key_is(key, "items") || scan_.peek() == 'n') {
      if (scan_.value().empty()) return false;
      continue;
    }
    nodes_.clear();
    if (scan_.peek() != '[') return scan_.fail("Nodes.items to be an array");
    scan_.expect('[');
    if (scan_.eat(']')) continue;
    do {
      if (scan_.peek() != '{') return scan_.fail("a node");
      nodes_.push_back(scan_.value());
      if (nodes_.size() > kMaxNodes) return fail_at(nodes_.back(), kMaxNodesText);
    } while (scan_.eat(','));
    if (!scan_.expect(']')) return false;
  } while (scan_.eat(','));
  return scan_.expect('}');
}

namespace {

/// The part of a wrong name that an error shows.
constexpr std::size_t kShownOfName = 64;

struct Field {
  std::string_view key;
  std::string live::Binding::* member;
  std::string (*errors)(std::string_view);  ///< Null: any text, or none.
};
constexpr std::array kFields = {
    Field{"PodName", &live::Binding::name, &object_name_errors},
    Field{"PodNamespace", &live::Binding::ns, &namespace_name_errors},
    Field{"PodUID", &live::Binding::uid, nullptr},
    Field{"Node", &live::Binding::node, &object_name_errors},
};

bool read_member(JsonScan& scan, live::Binding& binding) {
  const std::string_view key = scan.string();
  if (scan.failed() || !scan.expect(':')) return false;
  const bool is_string = scan.peek() == '"';
  const std::string_view value = scan.value();
  if (scan.failed()) return false;
  for (const Field& field : kFields) {
    if (!key_is(key, field.key) || value == "null") continue;
    if (!is_string || !unescape(value, binding.*field.member))
      return scan.fail(std::string(field.key) + " to be a string");
  }
  return true;
}

/// @return what is wrong with the field, in one line; "" if nothing is.
std::string error_of(const Field& field, std::string_view value) {
  if (!field.errors) return {};
  if (value.empty()) return std::string(field.key) + ": the request has none";
  const std::string errors = field.errors(value);
  if (errors.empty()) return {};
  std::string text = std::string(field.key) + ": ";
  append_quoted(text, value.substr(0, kShownOfName));
  return text + ": " + errors;
}

}  // namespace

std::expected<live::Binding, std::string> read_binding(std::string_view body) {
  JsonScan scan(body);
  live::Binding binding;
  if (!scan.expect('{')) return std::unexpected(scan.error());
  if (!scan.eat('}')) {
    do {
      if (!read_member(scan, binding)) return std::unexpected(scan.error());
    } while (scan.eat(','));
    if (!scan.expect('}')) return std::unexpected(scan.error());
  }
  if (!scan.expect_end()) return std::unexpected(scan.error());
  for (const Field& field : kFields)
    if (auto error = error_of(field, binding.*field.member); !error.empty())
      return std::unexpected(std::move(error));
  return binding;
}

}  // namespace winnow
