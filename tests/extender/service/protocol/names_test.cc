#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "cluster/state/overlay.h"
#include "cluster/state/state.h"
#include "cluster/state/view.h"
#include "cluster/text/json.h"
#include "extender/service/protocol/args.h"
#include "extender/service/protocol/node_order.h"
#include "tests/builders.h"
#include "tests/part.h"

namespace winnow {
namespace {

using test::node;

struct ReadNames {
  std::vector<std::string> names;  ///< Raw.
  std::vector<NodeId> ids;
  std::string error;
  bool operator==(const ReadNames&) const = default;
};

/// Reads a list. The text is where a sanitizer sees a byte that is read too far.
ReadNames read_list(const View& view, std::string_view list, NodeOrder& order) {
  const std::string body = "{\"NodeNames\":" + std::string(list) + '}';
  const std::vector<char> exact(body.begin(), body.end());
  ArgsReader args(std::string_view(exact.data(), exact.size()));
  std::vector<std::string_view> names;
  ReadNames result;
  if (args.read() && args.read_names(view, order, names, result.ids)) args.read();
  for (const std::string_view name : names) result.names.emplace_back(name);
  result.error = args.error();
  return result;
}

/// The same, as the words of ArgsReader::read_names say, and by no order.
ReadNames read_plainly(const View& view, std::string_view list) {
  NodeOrder nothing_learned;
  ReadNames result = read_list(view, list, nothing_learned);
  std::set<std::string> seen;
  for (std::size_t i = 0; i < result.names.size(); ++i) {
    std::string text;
    CHECK(unescape(result.names[i], text));
    CHECK(view.find_node(text) == result.ids[i]);
    CHECK(seen.insert(text).second);
  }
  return result;
}

using Random = std::mt19937_64;
std::size_t below(Random& random, std::size_t bound) { return random() % bound; }

/// A name as some client may write it.
std::string written(Random& random, const std::string& name) {
  std::string text = "\"";
  for (const char c : name)
    if (c == '"' || c == '\\')
      text.append(1, '\\').append(1, c);
    else if (below(random, 2000) == 0)
      text += "\\u00" + std::string(1, "01234567"[c / 16]) + "0123456789abcdef"[c % 16];
    else
      text += c;
  return text + '"';
}

/// What a client makes of the order: a part that begins anywhere, with nodes left out, moved, doubled,
/// unknown.
std::string list_of(Random& random, std::vector<std::string> names) {
  const auto chance = [&](std::size_t of) { return below(random, of) == 0; };
  std::ranges::rotate(names, names.begin() + static_cast<std::ptrdiff_t>(below(random, names.size())));
  if (chance(3)) names.resize(1 + below(random, names.size()));
  if (chance(8)) std::ranges::shuffle(names, random);
  const std::size_t left_out = chance(2) ? 1 + below(random, 30) : 0;
  if (left_out > 0) std::erase_if(names, [&](const std::string&) { return chance(left_out + 1); });
  for (std::size_t strange = chance(2) ? below(random, 8) : 0; strange > 0 && !names.empty(); --strange) {
    const std::string other =
        chance(2) ? "unknown-" + std::to_string(below(random, 4)) : names[below(random, names.size())];
    names.insert(names.begin() + static_cast<std::ptrdiff_t>(below(random, names.size())), other);
  }
  const bool spaced = chance(6);
  std::string list = "[";
  for (const std::string& name : names) {
    if (list.size() > 1) list += ',';
    if (spaced && chance(3)) list += chance(2) ? " " : "\n\t";
    list += written(random, name);
    if (spaced && chance(3)) list += ' ';
  }
  list += ']';
  if (chance(10)) list.resize(below(random, list.size()));
  if (chance(20) && !list.empty()) list[below(random, list.size())] = "\"\\,]x\n"[below(random, 6)];
  return list;
}

TEST_CASE("a list is read by the order of earlier ones as it is read by itself") {
  for (std::uint64_t seed = 0; seed < test::part_of(std::uint64_t{60}); ++seed) {
    CAPTURE(seed);
    Random random(seed);
    State state;
    NodeOrder order;
    std::vector<std::string> names;
    const std::size_t most = 1 + below(random, 300);
    const auto add = [&] {
      std::string name =
          "pool-" + std::to_string(below(random, 5)) + "-" + std::to_string(below(random, 1000));
      if (below(random, 40) == 0) name += below(random, 2) == 0 ? "\"q" : "\\s";
      if (state.find_node(name) != kNone) return;
      state.set_node(node(name));
      names.insert(names.begin() + static_cast<std::ptrdiff_t>(below(random, names.size() + 1)), name);
    };
    for (std::size_t i = 0; i < most; ++i) add();
    for (int step = 0; step < 60; ++step) {
      if (below(random, 5) == 0) add();
      if (below(random, 5) == 0 && names.size() > 1) {  // Its row is the next one's.
        const auto gone = names.begin() + static_cast<std::ptrdiff_t>(below(random, names.size()));
        state.remove_node(*gone);
        names.erase(gone);
      }
      const std::string list = list_of(random, names);
      CAPTURE(list);
      const View view(state);
      CHECK(read_list(view, list, order) == read_plainly(view, list));
      if (below(random, 10) > 0) continue;
      Overlay overlay(state);
      overlay.set_node(node(names.front()));
      const View changed(state, &overlay);
      CHECK(read_list(changed, list, order) == read_plainly(changed, list));
    }
  }
}

std::string list_of(const std::vector<std::string>& names) {
  std::string list = "[";
  for (const std::string& name : names) list.append(list.size() > 1 ? ",\"" : "\"").append(name) += '"';
  return list + ']';
}

std::vector<std::string> numbered(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back("node-" + std::to_string(i));
  return names;
}

TEST_CASE("an order is learned from the first list, from parts of it, and after changes") {
  State state;
  std::vector<std::string> names = numbered(1000);
  for (const std::string& name : names) state.set_node(node(name));
  NodeOrder order;
  const auto listed = [&] {
    const auto list = order.list(View(state), 1 << 20);
    return list ? list->size() : 0;
  };
  CHECK(listed() == 0);
  // Parts, as kube-scheduler sends them that looks at a sample.
  for (std::size_t from = 0; from < names.size(); from += 200)
    read_list(View(state),
              list_of(std::vector(names.begin() + static_cast<std::ptrdiff_t>(from),
                                  names.begin() + static_cast<std::ptrdiff_t>(from + 200))),
              order);
  CHECK(listed() == 1000);
  // Another order: the list follows.
  std::ranges::reverse(names);
  read_list(View(state), list_of(names), order);
  read_list(View(state), list_of(names), order);
  CHECK(order.list(View(state), 1 << 20)->quoted(0) == "\"node-999\"");
  // A node goes, and its row is another's.
  state.remove_node("node-500");
  state.set_node(node("new"));
  CHECK(listed() == 1000);
  CHECK(order.list(View(state), 1 << 20)->quoted(499) == "\"new\"");
  state.remove_node("new");
  CHECK(order.list(View(state), 0) == nullptr);  // Not for a few names.
  CHECK(listed() == 999);
  // The nodes of another cluster.
  State other;
  other.set_node(node("node-1"));
  CHECK(order.list(View(other), 1 << 20)->holds(View(other)));
  CHECK_FALSE(order.list(View(other), 1 << 20)->holds(View(state)));
}

TEST_CASE("lists are read, and orders learned, by many threads at once") {
  State state;
  const std::vector<std::string> names = numbered(200);
  for (const std::string& name : names) state.set_node(node(name));
  NodeOrder order;
  std::vector<std::jthread> threads;
  for (std::uint64_t seed = 0; seed < 4; ++seed)
    threads.emplace_back([&, seed] {
      Random random(seed);
      const View view(state);
      for (int round = 0; round < 50; ++round) {
        const std::string list = list_of(random, names);
        NodeOrder nothing_learned;
        const ReadNames expected = read_list(view, list, nothing_learned);
        if (read_list(view, list, order) != expected) FAIL("another result than alone");
      }
    });
}

}  // namespace
}  // namespace winnow
