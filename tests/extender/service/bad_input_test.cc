// What is not a request: one clear line, the right status, a counter that moves, and the next call is
// answered.
#include <doctest/doctest.h>

#include <cctype>

#include "tests/extender/service/answers.h"
#include "tests/extender/service/running_server.h"

namespace winnow::test {
namespace {

constexpr const char* kBadFilters = R"(winnow_requests_total{result="bad_request",verb="filter"})";

std::string repeated(std::string_view text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

/// One line of text for a person, not empty, without control characters.
bool is_one_line(const std::string& body) {
  if (body.size() < 2 || body.size() > 2000 || body.back() != '\n') return false;
  for (const char c : body.substr(0, body.size() - 1))
    if (static_cast<unsigned char>(c) < 0x20) return false;
  return true;
}

const std::string kGood = args_with_names({"n0"});
const std::string kGoodAnswer =
    R"({"Nodes":null,"NodeNames":["n0"],"FailedNodes":{},"FailedAndUnresolvableNodes":{},"Error":""})";

TEST_CASE("bodies that are not a question") {
  struct Row {
    const char* sentence;
    std::string body;
    std::string says;  ///< Part of the line behind "bad request body: ".
  };
  const std::string pod_of = R"({"Pod":{"metadata":{"name":"p"},"spec":)";
  const Row rows[] = {
      {"nothing", "", "byte 0: expected '{', found the end"},
      {"white space", " \n", "byte 2: expected '{', found the end"},
      {"a word", "hello", "byte 0: expected '{', found 'h'"},
      {"form data", "Pod=x&NodeNames=y", "byte 0: expected '{', found 'P'"},
      {"YAML", "Pod:\n  metadata: {}\n", "byte 0: expected '{'"},
      {"an array", "[" + kGood + "]", "byte 0: expected '{', found '['"},
      {"null", "null", "byte 0: expected '{', found 'n'"},
      {"a byte order mark", "\xef\xbb\xbf" + kGood, "byte 0: expected '{'"},
      {"UTF-16", std::string("{\0\"\0P\0o\0d\0", 10), "byte 1: expected a string"},
      {"gzip", "\x1f\x8b\x08\x00 and so on", "byte 0: expected '{'"},
      {"something behind", kGood + "x", "expected nothing more, found 'x'"},
      {"a second one behind", kGood + kGood, "expected nothing more, found '{'"},
      {"a comment", R"({"Pod":{},/* none */"NodeNames":[]})", "byte 10: expected a string, found '/'"},
      {"a comma at the end", R"({"Pod":{},"NodeNames":[],})", "byte 25: expected a string, found '}'"},
      {"NaN outside", R"({"x":NaN})", "byte 5: expected a value, found 'N'"},
      {"NaN in the pod", pod_of + R"({"priority":NaN}},"NodeNames":[]})", "expected a value, found 'N'"},
      {"single quotes", "{'Pod':{}}", "byte 1: expected a string, found '''"},
      {"a control character in the pod's strings", pod_of + "{\"nodeName\":\"a\nb\"}},\"NodeNames\":[]}",
       "Pod: line 1, column"},
      {"bad UTF-8 in the pod", pod_of + "{\"nodeName\":\"\xff\"}},\"NodeNames\":[]}", "Pod: line 1, column"},
      {"a bad escape in the pod", pod_of + R"({"nodeName":"\x"}},"NodeNames":[]})", "Pod: line 1, column"},
      {"half a surrogate in the pod", pod_of + R"({"nodeName":"\ud800"}},"NodeNames":[]})",
       "Pod: line 1, column"},
      {"65 levels outside", R"({"x":)" + repeated("[", 65) + repeated("]", 65) + "}",
       "byte 69: expected at most 64 levels"},
      {"65 levels in the pod",
       R"({"Pod":{"x":)" + repeated("[", 65) + repeated("]", 65) + R"(},"NodeNames":[]})",
       "at most 64 levels"},
      {"64 levels in the pod and no nodes", R"({"Pod":{"x":)" + repeated("[", 63) + repeated("]", 63) + "}}",
       "names no nodes"},
      {"10,000 levels in the pod", R"({"Pod":)" + repeated(R"({"a":)", 10'000), "at most 64 levels"},
      {"1,000,000 levels in the pod", R"({"Pod":)" + repeated(R"({"a":)", 1'000'000), "at most 64 levels"},
      {"1,000,000 levels outside", repeated("[", 1'000'000), "byte 0: expected '{', found '['"},
      {"1,000,000 levels under a key", R"({"a":)" + repeated("[", 1'000'000), "at most 64 levels"},
      {"1,000,000 levels in a node", R"({"Nodes":{"items":[)" + repeated(R"({"a":)", 1'000'000),
       "at most 64 levels"},
      {"1,000,000 levels for a name", R"({"NodeNames":)" + repeated("[", 1'000'000),
       "expected a node name, found '['"},
      {"no pod", R"({"NodeNames":["n0"]})", "Pod: the request has none"},
      {"a null pod", R"({"Pod":null,"NodeNames":["n0"]})", "Pod: the request has none"},
      {"a pod that was taken back", R"({"Pod":{},"NodeNames":["n0"],"Pod":null})",
       "Pod: the request has none"},
      {"a bare pod", R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{}})",
       "Pod: the request has none"},
      {"a pod that is only named", R"({"Namespace":"default","Name":"p","NodeNames":["n0"]})",
       "Pod: the request has none"},
      {"no nodes", R"({"Pod":{}})",
       "the request names no nodes: expected NodeNames (nodeCacheCapable: true) or Nodes"},
      {"null nodes", R"({"Pod":{},"Nodes":null,"NodeNames":null})", "the request names no nodes"},
      {"a pod that is a string", R"({"Pod":"p","NodeNames":[]})",
       "byte 7: expected Pod to be an object, found '\"'"},
      {"a pod that is an array", R"({"Pod":[],"NodeNames":[]})",
       "byte 7: expected Pod to be an object, found '['"},
      {"names that are an object", R"({"Pod":{},"NodeNames":{}})",
       "expected NodeNames to be an array, found '{'"},
      {"a name that is a number", R"({"Pod":{},"NodeNames":[5]})", "expected a node name, found '5'"},
      {"a name that is null", R"({"Pod":{},"NodeNames":[null]})", "expected a node name, found 'n'"},
      {"nodes that are an array", R"({"Pod":{},"Nodes":[]})", "expected Nodes to be an object, found '['"},
      {"items that are a number", R"({"Pod":{},"Nodes":{"items":5}})",
       "expected Nodes.items to be an array, found '5'"},
      {"an item that is a string", R"({"Pod":{},"Nodes":{"items":["n0"]}})", "expected a node, found '\"'"},
      {"a node without a name", R"({"Pod":{},"Nodes":{"items":[{"metadata":{"name":"a"}},{}]}})",
       "Nodes.items[1]: metadata.name: a node needs a name"},
      {"the wrong node behind a repetition",
       R"({"Pod":{},"Nodes":{"items":[{"metadata":{"name":"a"}},{"metadata":{"name":"a"}},{"spec":5}]}})",
       "Nodes.items[2]: spec: "},
      {"a node's wrong quantity",
       R"({"Pod":{},"Nodes":{"items":[{"metadata":{"name":"a"},"status":{"allocatable":{"cpu":"4 cores"}}}]}})",
       R"(Nodes.items[0]: status.allocatable.cpu: "4 cores" is not a quantity)"},
      {"a pod's wrong quantity",
       pod_of + R"({"containers":[{},{"resources":{"requests":{"cpu":"1..5"}}}]}},"NodeNames":["n0"]})",
       R"(Pod: spec.containers[1].resources.requests.cpu: "1..5" is not a quantity)"},
      {"a key with a slash in its path",
       pod_of + R"({"containers":[{"resources":{"requests":{"a.b/c":"x"}}}]}},"NodeNames":["n0"]})",
       R"(Pod: spec.containers[0].resources.requests["a.b/c"]: )"},
      {"a pod behind the names", R"({"NodeNames":["n0"],"Pod":{"spec":{"nodeName":5}}})",
       "Pod: spec.nodeName: 5 is not a string"},
      {"containers that are an object", pod_of + R"({"containers":{}},"NodeNames":["n0"]})", ""},
      {"labels that are numbers", R"({"Pod":{"metadata":{"labels":{"a":1}}},"NodeNames":["n0"]})",
       "Pod: metadata.labels.a: 1 is not a string"},
  };
  const RunningService service(cache_of_size(1));
  Client client = service.client();
  double bad = service.metric(kBadFilters);
  REQUIRE(bad == 0);
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    const Answer answer = client.ask(request_text("POST", "/filter", row.body));
    CHECK(answer.status == 400);
    CHECK(answer.body.starts_with("bad request body: "));
    CHECK_MESSAGE(answer.body.contains(row.says), answer.body);
    CHECK(is_one_line(answer.body));
    CHECK(answer.head.contains("Content-Type: text/plain"));
    CHECK(service.metric(kBadFilters) == bad + 1);
    bad += 1;
    // On the same connection.
    CHECK(client.ask(request_text("POST", "/filter", kGood)).body == kGoodAnswer);
    CHECK(service.post("/prioritize", row.body).status == 400);
    CHECK(client.ask(request_text("POST", "/prioritize", kGood)).status == 200);
  }
}

TEST_CASE("a body that is cut off at any byte is refused") {
  const RunningService service(cache_of_size(1));
  Client client = service.client();
  for (const char* name : {"names/filter-1.request.json", "full/filter-2.request.json"}) {
    const std::string body = capture(name);
    REQUIRE(body.size() > 5000);
    REQUIRE(client.ask(request_text("POST", "/filter", body)).status == 200);
    for (std::size_t length = 0; length < body.size(); ++length) {
      const Answer answer =
          client.ask(request_text("POST", "/filter", std::string_view(body).substr(0, length)));
      CAPTURE(name);
      CAPTURE(length);
      REQUIRE(answer.status == 400);
      REQUIRE(is_one_line(answer.body));
    }
  }
  CHECK(client.ask(request_text("POST", "/filter", kGood)).body == kGoodAnswer);
}

TEST_CASE("wrong paths and methods") {
  struct Row {
    const char* sentence;
    const char* method;
    const char* path;
    int status;
    std::string says;
    std::string allow = "";
  };
  const Row rows[] = {
      {"a file of the page that is not there", "GET", "/page/none.js", 404,
       "no such path; there are /filter, /prioritize, /predicates, /priorities, /rules, "},
      {"a path behind a verb", "POST", "/filter/x", 404,
       "/explain, /preempt, /bind, /livez, /readyz, /healthz, /version, /metrics"},
      {"a slash too many", "POST", "//filter", 404, "no such path"},
      {"another case", "POST", "/Filter", 404, "no such path"},
      {"a path that goes up", "GET", "/../metrics", 404, "no such path"},
      {"a long one", "GET", "/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
       404, "no such path"},
      {"a verb that is not there", "POST", "/simulate", 404, "no such path"},
      {"GET of a verb", "GET", "/filter", 405, "/filter takes POST only", "Allow: POST\r\n"},
      {"GET of explain", "GET", "/explain", 405, "/explain takes POST only", "Allow: POST\r\n"},
      {"PUT of a verb", "PUT", "/prioritize", 405, "/prioritize takes POST only", "Allow: POST\r\n"},
      {"POST of a probe", "POST", "/livez", 405, "/livez takes GET only", "Allow: GET, HEAD\r\n"},
      {"DELETE of metrics", "DELETE", "/metrics", 405, "/metrics takes GET only", "Allow: GET, HEAD\r\n"},
  };
  const RunningService service(cache_of_size(1));
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    const Answer answer = service.ask(row.method, row.path);
    CHECK(answer.status == row.status);
    CHECK(answer.body.contains(row.says));
    CHECK(is_one_line(answer.body));
    CHECK(answer.head.contains(row.allow));
  }
  CHECK(service.ask("HEAD", "/filter").status == 405);
  CHECK(service.metric(R"(winnow_requests_total{result="not_found",verb="other"})") == 7);
  CHECK(service.metric(R"(winnow_requests_total{result="method_not_allowed",verb="filter"})") == 2);
}

TEST_CASE("a body over the limit is refused, and the service goes on") {
  http::Limits limits;
  limits.body_bytes = 4096;
  const RunningService service(cache_of_size(1), default_rule_set(), {}, limits);
  CHECK(service.post("/filter", kGood + std::string(4096, ' ')).status == 413);
  CHECK(service.post("/filter", kGood + std::string(4096 - kGood.size(), ' ')).body == kGoodAnswer);
}

TEST_CASE("what explain cannot make sense of") {
  struct Row {
    const char* sentence;
    std::string body;
    int status;
    std::string says;
  };
  const Row rows[] = {
      {"nothing to explain", "{}", 400, R"(expected {"Pod": …} or {"Namespace": …, "Name": …})"},
      {"a namespace alone", R"({"Namespace":"default"})", 400, R"(expected {"Pod": …})"},
      {"an unknown pod", R"({"Namespace":"a","Name":"b"})", 404,
       R"(pod "a/b" is not in the picture of the cluster)"},
      {"the default namespace", R"({"Name":"b"})", 404, R"(pod "default/b" is not)"},
      {"a null namespace", R"({"Namespace":null,"Name":"b"})", 404, R"(pod "default/b" is not)"},
      {"a name with a line break", R"({"Name":"b\nc"})", 404, "is not in the picture"},
      {"a name that is no string", R"({"Name":"\x"})", 400, "Name: not a valid string"},
      {"a wrong pod", R"({"Pod":{"spec":{"priority":"high"}}})", 400, "Pod: spec.priority: "},
  };
  const RunningService service(cache_of_size(1));
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    const Answer answer = service.post("/explain", row.body);
    CHECK(answer.status == row.status);
    CHECK_MESSAGE(answer.body.contains(row.says), answer.body);
    CHECK(is_one_line(answer.body));
  }
}

}  // namespace
}  // namespace winnow::test
