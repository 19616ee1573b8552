#include "extender/service/protocol/args.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "cluster/api/names.h"
#include "cluster/client/servers/binder.h"
#include "cluster/state/view.h"
#include "cluster/text/json.h"
#include "cluster/text/json_scan.h"
#include "cluster/text/keyed_hash.h"

namespace winnow {
namespace {

constexpr std::string_view kNull = "null";

/// Whether the text between the quotes is the name itself: nothing is escaped, or would have to be.
bool stands_for_itself(std::string_view inside) {
  return std::ranges::none_of(inside,
                              [](char c) { return c == '\\' || static_cast<unsigned char>(c) < ' '; });
}

/// The number of guesses at the next name before a look-up is cheaper. Several are needed because prioritize
/// lacks the nodes that filter has refused.
constexpr int kGuesses = 4;

/// The number of names whose memory is fetched ahead.
constexpr int kAhead = 8;

/// Whether the text at `at` is this name in quotes. Inlined by force: a call takes as long as the rest.
[[gnu::always_inline]] inline bool is_next(std::string_view name, const char* at, const char* end) {
  return static_cast<std::size_t>(end - at) >= name.size() + 2 && *at == '"' && at[name.size() + 1] == '"' &&
         std::memcmp(at + 1, name.data(), name.size()) == 0 && !name.empty();
}

}  // namespace

NodeId find_quoted(const View& view, std::string_view quoted_name) {
  const std::string_view inside = quoted_name.substr(1, quoted_name.size() - 2);
  if (stands_for_itself(inside)) return view.find_node(inside);
  std::string text;
  return unescape(quoted_name, text) ? view.find_node(text) : kNone;
}

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

bool ArgsReader::read_names(const View& view, NodeOrder& order, std::vector<std::string_view>& names,
                            std::vector<NodeId>& ids) {
  names.clear();
  ids.clear();
  scan_.expect('[');
  if (scan_.eat(']')) return true;
  names.reserve(view.node_count());
  ids.reserve(view.node_count());
  const auto add = [&](std::string_view name, NodeId id) {
    names.push_back(name);
    ids.push_back(id);
  };
  std::vector<std::uint8_t> seen(view.capacity(), 0);
  TextSet seen_unknown;
  NodeId previous = 0;
  std::string text;
  NodeId ahead = previous;
  const NodeId capacity = view.capacity();
  // The names are scattered in memory. To wait for each would take longer than to compare it.
  const auto fetch = [&](NodeId last) {
    last = order.after(last);
    if (last < capacity) __builtin_prefetch(view.node_name(last).data());
    return last;
  };
  for (int i = 0; i < kAhead; ++i) ahead = fetch(ahead);
  // Most names come as they came last time, with a comma and no white space behind each. What changes for
  // each name is kept in locals of the loop, so that it stays in registers.
  const auto take_expected = [&] {
    const char* at = scan_.position();
    const char* const end = scan_.end();
    std::uint8_t* const is_named = seen.data();
    NodeId last = previous, fetched = ahead;
    for (NodeId guess = order.after(last); guess < capacity && !is_named[guess]; guess = order.after(last)) {
      const std::string_view name = view.node_name(guess);
      if (!is_next(name, at, end) || !view.is_current(guess)) break;
      const char* const behind = at + name.size() + 2;
      if (behind == end || *behind != ',') break;
      fetched = fetch(fetched);
      add(std::string_view(at, name.size() + 2), guess);
      is_named[guess] = 1;
      last = guess;
      at = behind + 1;
    }
    previous = last, ahead = fetched;
    scan_.move_to(at);
  };
  do {
    take_expected();
    ahead = fetch(ahead);
    NamedNode next;
    if (!next_name(view, order, previous, next, text)) return false;
    if (next.id == kNone) {
      if (seen_unknown.insert(text).second) add(next.name, kNone);
      if (names.size() > kMaxNodes) return fail_at(next.name, kMaxNodesText);
    } else {
      if (!seen[next.id]) add(next.name, next.id);
      seen[next.id] = 1;
      previous = next.id;
    }
  } while (scan_.eat(','));
  return scan_.expect(']');
}

bool ArgsReader::next_name(const View& view, NodeOrder& order, NodeId previous, NamedNode& next,
                           std::string& text) {
  if (scan_.peek() != '"') return scan_.fail("a node name");
  NodeId guess = previous;
  for (int i = 0; i < kGuesses; ++i) {
    guess = order.after(guess);
    if (guess >= view.capacity()) break;
    const std::string_view name = view.node_name(guess);
    if (!is_next(name, scan_.position(), scan_.end()) || !view.is_current(guess)) continue;
    next = {std::string_view(scan_.position(), name.size() + 2), guess};
    scan_.move_to(scan_.position() + next.name.size());
    return true;
  }
  next.name = scan_.string();
  if (next.name.empty()) return false;
  const std::string_view name = next.name.substr(1, next.name.size() - 2);
  // A name without escapes can be looked up, and learned, as it is.
  if (stands_for_itself(name)) next.id = view.find_node(name);
  if (next.id != kNone) {
    order.learn(previous, next.id);
    return true;
  }
  // An unknown node, a name with escapes, or no JSON.
  if (!unescape(next.name, text)) {
    scan_.move_to(next.name.data());
    return scan_.fail("a valid string");
  }
  next.id = view.find_node(text);
  return true;
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
