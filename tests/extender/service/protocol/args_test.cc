#include "extender/service/protocol/args.h"

#include <doctest/doctest.h>

#include "cluster/state/state.h"
#include "cluster/state/view.h"
#include "cluster/text/json.h"
#include "extender/service/protocol/node_order.h"
#include "tests/builders.h"

namespace winnow {
namespace {

using test::node;

/// A state with these nodes, in this order.
void add_nodes(State& state, const std::vector<std::string>& names) {
  for (const std::string& name : names) state.set_node(node(name));
}

struct Read {
  std::string error;
  std::string names;  ///< What was asked, raw, one behind the other; a "?" before those that are not known.
  bool has_names = false, has_nodes = false;
};

Read read(const State& state, std::string_view body, NodeOrder& order) {
  const View view(state);
  ArgsReader args(body);
  std::vector<std::string_view> names;
  std::vector<NodeId> ids;
  Read result;
  bool ok = args.read();
  while (ok && args.names_pending()) ok = args.read_names(view, order, names, ids) && args.read();
  result.error = args.error();
  CHECK(ok == result.error.empty());
  CHECK(names.size() == ids.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    result.names.append(ids[i] == kNone ? "?" : "").append(names[i]);
    std::string text;
    CHECK(unescape(names[i], text));
    if (ids[i] != kNone) CHECK(view.node_name(ids[i]) == text);
  }
  result.has_names = args.has_names();
  result.has_nodes = args.has_nodes();
  return result;
}
Read read(const State& state, std::string_view body) {
  NodeOrder order;
  return read(state, body, order);
}

TEST_CASE("node names") {
  struct Row {
    const char* sentence;
    std::string body;
    std::string names;
    std::string error = "";
  };
  const Row rows[] = {
      {"as kube-scheduler writes them", R"({"Pod":{},"Nodes":null,"NodeNames":["n0","n1"]})", R"("n0""n1")"},
      {"spaced out", "{ \"NodeNames\" : [ \"n1\" ,\n\"n0\" ] }", R"("n1""n0")"},
      {"none", R"({"NodeNames":[]})", ""},
      {"one that is not known", R"({"NodeNames":["n0","new","n1"]})", R"("n0"?"new""n1")"},
      {"the empty name", R"({"NodeNames":["","n0"]})", R"(?"""n0")"},
      {"a name that another begins with", R"({"NodeNames":["n","n0","n00"]})", R"(?"n""n0"?"n00")"},
      {"each once", R"({"NodeNames":["n0","x","n0","x","n1"]})", R"("n0"?"x""n1")"},
      {"an escaped name is the same name", R"({"NodeNames":["n\u0030","n0","\u0078","x"]})",
       R"("n\u0030"?"\u0078")"},
      {"a name of which the picture has the escaped form", R"({"NodeNames":["b\\d","b\\\\d"]})",
       R"(?"b\\d""b\\\\d")"},
      {"a later list replaces an earlier one", R"({"NodeNames":["n0","x"],"nodenames":["n1"]})", R"("n1")"},
      {"a number among them", R"({"NodeNames":["n0",1]})", "", "byte 19: expected a node name, found '1'"},
      {"a null among them", R"({"NodeNames":["n0",null]})", "", "byte 19: expected a node name, found 'n'"},
      {"a bad escape", R"({"NodeNames":["n0","\x"]})", "", "byte 19: expected a valid string, found '\"'"},
      {"bad UTF-8", "{\"NodeNames\":[\"\xff\"]}", "", "byte 14: expected a valid string, found '\"'"},
      {"a line break in a name", "{\"NodeNames\":[\"n\n\"]}", "",
       "byte 14: expected a valid string, found '\"'"},
      {"a comma too many", R"({"NodeNames":["n0",]})", "", "byte 19: expected a node name, found ']'"},
      {"an object", R"({"NodeNames":{"n0":1}})", "", "byte 13: expected NodeNames to be an array, found '{'"},
      {"a string", R"({"NodeNames":"n0"})", "", "byte 13: expected NodeNames to be an array, found '\"'"},
  };
  State state;
  add_nodes(state, {"n0", "n1", R"(b\\d)"});
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    NodeOrder order;
    for (const char* round : {"new", "learned"}) {
      CAPTURE(round);
      const Read result = read(state, row.body, order);
      CHECK(result.error == row.error);
      if (row.error.empty()) CHECK(result.names == row.names);
    }
  }
}

TEST_CASE("guesses of the order change nothing but the time") {
  State state;
  std::vector<std::string> names;
  for (int i = 0; i < 40; ++i) names.push_back("node-" + std::to_string(i));
  add_nodes(state, names);
  NodeOrder order;
  std::uint64_t seed = 1;
  for (int round = 0; round < 300; ++round) {
    std::string body = R"({"NodeNames":[)", expected;
    for (int i = 0; i < 60; ++i) {
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      // Mostly in order, so that guesses are right; sometimes not.
      const std::size_t at =
          static_cast<std::size_t>(seed >> 60 ? static_cast<unsigned>(i) : seed >> 33) % names.size();
      body += (i ? ",\"" : "\"") + names[at] + '"';
      if (const std::string raw = '"' + names[at] + '"'; !expected.contains(raw)) {
        if (state.find_node(names[at]) == kNone) expected += '?';
        expected += raw;
      }
    }
    CHECK(read(state, body + "]}", order).names == expected);
    // The node of a guess goes, or makes room for one with another name.
    if (round % 10 == 3) state.remove_node(names[static_cast<std::size_t>(round) % names.size()]);
    if (round % 10 == 7) state.set_node(node("other-" + std::to_string(round)));
  }
}

TEST_CASE("a guessed name is compared in all of its bytes") {
  for (std::size_t size = 1; size <= 70; ++size) {
    const std::string guessed(size, 'a');
    State state;
    add_nodes(state, {"first", guessed, "last"});
    NodeOrder order;
    const auto ask = [&](const std::string& name) {
      return read(state, R"({"NodeNames":["first",")" + name + R"(","last"]})", order).names;
    };
    CHECK(ask(guessed) == "\"first\"\"" + guessed + "\"\"last\"");
    for (std::size_t at = 0; at < size; ++at) {
      std::string other = guessed;
      other[at] = 'b';
      CHECK(ask(other) == "\"first\"?\"" + other + "\"\"last\"");
    }
    CHECK(ask(guessed) == "\"first\"\"" + guessed + "\"\"last\"");
  }
}

TEST_CASE("more names that are not known than the view has nodes") {
  State state;
  add_nodes(state, {"n0", "n1"});
  NodeOrder order;
  const std::string body = R"({"NodeNames":["a","n0","b","c","n1","d","e","n0"]})";
  for (int round = 0; round < 3; ++round)
    CHECK(read(state, body, order).names == R"(?"a""n0"?"b"?"c""n1"?"d"?"e")");
}

TEST_CASE("a body that ends within a name that was guessed") {
  State state;
  add_nodes(state, {"n0", "n1", "n2"});
  NodeOrder order;
  const std::string body = R"({"NodeNames":["n0","n1","n2"]})";
  CHECK(read(state, body, order).names == R"("n0""n1""n2")");
  for (std::size_t length = 0; length < body.size(); ++length) {
    CAPTURE(length);
    // An exact allocation: the sanitizer sees a byte too far.
    const std::vector<char> exact(body.begin(), body.begin() + static_cast<std::ptrdiff_t>(length));
    CHECK_FALSE(read(state, std::string_view(exact.data(), exact.size()), order).error.empty());
  }
}

TEST_CASE("a name that would have to be escaped is never copied as it stands") {
  // No API server lets such names in, but a file may hold them.
  State state;
  add_nodes(state, {"a\nb", R"(a\u002db)"});
  NodeOrder order;
  for (int round = 0; round < 2; ++round) {
    CHECK(read(state, "{\"NodeNames\":[\"a\nb\"]}", order).error ==
          "byte 14: expected a valid string, found '\"'");
    CHECK(read(state, R"({"NodeNames":["a\nb","a\u002db","a\\u002db"]})", order).names ==
          R"("a\nb"?"a\u002db""a\\u002db")");
  }
}

TEST_CASE("the outer keys") {
  struct Row {
    const char* sentence;
    std::string body;
    bool has_names, has_nodes, has_pod;
    std::string error = "";
  };
  const Row rows[] = {
      {"nothing at all", "{}", false, false, false},
      {"nulls are absent", R"({"Pod":null,"Nodes":null,"NodeNames":null})", false, false, false},
      {"lower case", R"({"pod":{},"nodes":{"items":[]},"nodenames":[]})", true, true, true},
      {"upper case", R"({"POD":{},"NODES":{"ITEMS":[]},"NODENAMES":[]})", true, true, true},
      {"escaped keys", R"({"\u0050od":{},"NodeName\u0073":[]})", true, false, true},
      {"sorted keys, as Python writes them", R"({"NodeNames": [], "Nodes": null, "Pod": {}})", true, false,
       true},
      {"unknown keys are skipped", R"({"x":[{"Pod":1}],"Pod":{},"y":1e5})", false, false, true},
      {"the last of equal keys wins", R"({"Pod":{},"Pod":null})", false, false, false},
      {"names that are taken back", R"({"NodeNames":["a"],"NodeNames":null})", false, false, false},
      {"nodes without items", R"({"Nodes":{}})", false, true, false},
      {"nodes with other keys", R"({"Nodes":{"metadata":{"resourceVersion":""},"items":null}})", false, true,
       false},
      {"an array", "[]", false, false, false, "byte 0: expected '{', found '['"},
      {"a string", R"("Pod")", false, false, false, "byte 0: expected '{', found '\"'"},
      {"null", "null", false, false, false, "byte 0: expected '{', found 'n'"},
      {"a Pod that is a string", R"({"Pod":"x"})", false, false, false,
       "byte 7: expected Pod to be an object, found '\"'"},
      {"a Pod that begins like null", R"({"Pod":nil})", false, false, false,
       "byte 7: expected a value, found 'n'"},
      {"Nodes that is an array", R"({"Nodes":[]})", false, false, false,
       "byte 9: expected Nodes to be an object, found '['"},
      {"items that is a number", R"({"Nodes":{"items":1}})", false, false, false,
       "byte 18: expected Nodes.items to be an array, found '1'"},
      {"an item that is a name", R"({"Nodes":{"items":["n0"]}})", false, false, false,
       "byte 19: expected a node, found '\"'"},
      {"a name that is a number", R"({"Name":5})", false, false, false,
       "byte 8: expected a string, found '5'"},
      {"something behind it", "{} x", false, false, false, "byte 3: expected nothing more, found 'x'"},
      {"a second body", "{}{}", false, false, false, "byte 2: expected nothing more, found '{'"},
      {"a comma too many", R"({"Pod":{},})", false, false, false, "byte 10: expected a string, found '}'"},
      {"a missing colon", R"({"Pod"{}})", false, false, false, "byte 6: expected ':', found '{'"},
  };
  const State state;
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    const Read result = read(state, row.body);
    CHECK(result.error == row.error);
    if (!row.error.empty()) continue;
    CHECK(result.has_names == row.has_names);
    CHECK(result.has_nodes == row.has_nodes);
    ArgsReader args(row.body);
    std::vector<std::string_view> names;
    std::vector<NodeId> ids;
    NodeOrder order;
    CHECK(args.read());
    while (args.names_pending()) {
      CHECK(args.read_names(View(state), order, names, ids));
      CHECK(args.read());
    }
    CHECK(args.pod().empty() != row.has_pod);
  }
}

TEST_CASE("a pod that is only named") {
  ArgsReader args(R"({"namespace":"shop","NAME":"web-\u0031","Nodes":{"items":[{"a":1},{"b":2}]}})");
  CHECK(args.read());
  CHECK(args.pod_namespace() == R"("shop")");
  CHECK(args.pod_name() == R"("web-\u0031")");
  REQUIRE(args.nodes().size() == 2);
  CHECK(args.nodes()[1] == R"({"b":2})");

  ArgsReader nulls(R"({"Namespace":null,"Name":null})");
  CHECK(nulls.read());
  CHECK(nulls.pod_namespace().empty());
  CHECK(nulls.pod_name().empty());
}

TEST_CASE("a request may have so many nodes, and not one more") {
  const auto names = [](std::size_t count) {
    std::string body = R"({"NodeNames":["0")";
    for (std::size_t i = 1; i < count; ++i) body += ",\"" + std::to_string(i) + '"';
    return body + "]}";
  };
  const auto nodes = [](std::size_t count) {
    std::string body = R"({"Nodes":{"items":[{})";
    for (std::size_t i = 1; i < count; ++i) body += ",{}";
    return body + "]}}";
  };
  const State state;
  for (const auto& body : {names(kMaxNodes), nodes(kMaxNodes)}) CHECK(read(state, body).error == "");
  for (const auto& body : {names(kMaxNodes + 1), nodes(kMaxNodes + 1)})
    CHECK(read(state, body).error.contains("expected at most 500000 nodes"));
}

}  // namespace
}  // namespace winnow
