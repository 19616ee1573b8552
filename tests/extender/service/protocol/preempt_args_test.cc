#include "extender/service/protocol/preempt_args.h"

#include <doctest/doctest.h>

#include <format>

#include "extender/service/protocol/args.h"
#include "tests/extender/service/running_server.h"

namespace winnow::test {
namespace {

/// "n1: u1 u2; n2: " of UIDs, of full pods their raw texts; or the error.
std::string text_of_args(std::string_view body) {
  const auto args = read_preempt_args(body);
  if (!args) return "error: " + args.error();
  if (!args->has_victims) return "no victims";
  std::string text;
  for (const GivenVictims& node : args->nodes) {
    text += (text.empty() ? "" : "; ") + node.node_name + ":";
    for (const std::string& uid : node.uids) text += " " + uid;
    for (const std::string_view pod : node.pods) text.append(" ").append(pod);
  }
  return text;
}

}  // namespace

TEST_CASE("preempt's arguments are read in all forms that kube-schedulers write") {
  struct Case {
    std::string sentence, body, read;
  };
  const Case cases[] = {
      {"UIDs", R"({"NodeNameToMetaVictims":{"b":{"Pods":[{"UID":"u1"},{"UID":"u2"}],"NumPDBViolations":1}}})",
       "b: u1 u2"},
      {"full pods", R"({"NodeNameToVictims":{"a":{"Pods":[{"x":1}],"NumPDBViolations":0}}})", "a: {\"x\":1}"},
      {"the key of old", R"({"nodeToVictims":{"a":{"pods":[{"x":1}],"numPDBViolations":0}}})",
       "a: {\"x\":1}"},
      {"keys in any case", R"({"nodenametometavictims":{"a":{"PODS":[{"uid":"u"}]}}})", "a: u"},
      {"nodes stay in order, and the last of equal ones counts",
       R"({"NodeNameToMetaVictims":{"b":{"Pods":[{"UID":"1"}]},"a":{"Pods":[]},"b":{"Pods":[{"UID":"2"}]}}})",
       "b: 2; a:"},
      {"UIDs win over full pods",
       R"({"NodeNameToMetaVictims":{"a":{"Pods":[{"UID":"u"}]}},"NodeNameToVictims":{"b":{"Pods":[]}}})",
       "a: u"},
      {"null is nothing, wherever it stands",
       R"({"NodeNameToVictims":null,"NodeNameToMetaVictims":{"a":null,"b":{"Pods":null},"c":{"Pods":[null]}}})",
       "a:; b:; c:"},
      {"names with escapes", R"({"NodeNameToMetaVictims":{"\u0061":{"Pods":[{"UID":"\u0062"}]}}})", "a: b"},
      {"neither form", R"({"Pod":{},"NodeNameToVictims":null})", "no victims"},
      {"an array of victims", R"({"NodeNameToMetaVictims":[]})",
       "error: byte 25: expected victims by node to be an object, found '['"},
      {"a pod that is none", R"({"NodeNameToVictims":{"a":{"Pods":[1]}}})",
       "error: byte 35: expected a pod to be an object, found '1'"},
      {"cut off", R"({"NodeNameToVictims":{"a")", "error: byte 25: expected ':', found the end"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.sentence);
    CHECK(text_of_args(c.body) == c.read);
  }
}

TEST_CASE("the captured requests are read, cut at every byte they are refused") {
  for (const char* name : {"preempt-cache/preempt-1.request.json", "preempt-full/preempt-1.request.json"}) {
    const std::string body = capture(name);
    const auto args = read_preempt_args(body);
    REQUIRE(args);
    CHECK(args->nodes.size() == 3);
    CHECK(args->pod.starts_with("{\"metadata\":{\"name\":\"high\""));
    const std::size_t end = body.rfind('}');
    for (std::size_t size = 0; size < end; ++size) REQUIRE_FALSE(read_preempt_args(body.substr(0, size)));
  }
}

TEST_CASE("a preempt request may have so many nodes, and not one more") {
  const auto with = [](std::size_t nodes) {
    std::string body = R"({"NodeNameToMetaVictims":{"0":null)";
    for (std::size_t i = 1; i < nodes; ++i) body += ",\"" + std::to_string(i) + "\":null";
    return body + "}}";
  };
  CHECK(read_preempt_args(with(kMaxNodes)).value().nodes.size() == kMaxNodes);
  CHECK(read_preempt_args(with(kMaxNodes + 1)).error().contains("expected at most 500000 nodes"));
}

TEST_CASE("the answer is upstream's bytes") {
  std::string out;
  append_preempt_answer(out, {});
  CHECK(out == R"({"NodeNameToMetaVictims":{}})");
  out.clear();
  append_preempt_answer(out, {{"n\"1", {"a", "b"}, 2}, {"n2", {"c"}, 0}});
  CHECK(out == R"({"NodeNameToMetaVictims":{"n\"1":{"Pods":[{"UID":"a"},{"UID":"b"}],"NumPDBViolations":2},)"
               R"("n2":{"Pods":[{"UID":"c"}],"NumPDBViolations":0}}})");
}

}  // namespace winnow::test
