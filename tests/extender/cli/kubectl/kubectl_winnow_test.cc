#include "extender/cli/kubectl/kubectl_winnow.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <format>
#include <iostream>
#include <sstream>

#include "cluster/client/access/client_flags.h"
#include "extender/cli/kubectl/api_reader.h"
#include "extender/cli/kubectl/running_winnow.h"
#include "tests/cluster/client/transport/temp_folder.h"
#include "tests/cluster/client/transport/tls_server.h"

namespace winnow::test {
namespace {

using live::test::answer;

/// An API server with a Winnow behind its proxy, as the test has it answer.
class ProxyingCluster {
 public:
  std::string services = R"({"items":[{"metadata":{"namespace":"ops","name":"w"},
    "spec":{"ports":[{"name":"metrics","port":1},{"name":"https","port":10290}]}}]})";
  std::string services_status = "200 OK";
  std::string explained = R"({"pod":"shop/web","feasible":1,"selected":"n1","nodes":[
    {"name":"n0","fits":false,"filters":[{"rule":"R","fits":false,"resolvable":true,"reasons":["Insufficient cpu"]}]},
    {"name":"n1","fits":true,"filters":[{"rule":"R","fits":true}],"scores":[],"total":7,"answer":10}]})";
  std::string explained_status = "200 OK";
  std::string decisions = R"({"decisions":[]})";
  std::string decisions_status = "200 OK";
  std::string pods = R"({"items":[
    {"metadata":{"namespace":"shop","name":"web"},"spec":{}},
    {"metadata":{"namespace":"shop","name":"gated"},"spec":{"schedulingGates":[{"name":"x.dev/g"}]}},
    {"metadata":{"namespace":"shop","name":"done"},"spec":{},"status":{"phase":"Failed"}},
    {"metadata":{"namespace":"shop","name":"gone","deletionTimestamp":"2026-01-01T00:00:00Z"},"spec":{}}]})";

  std::string nodes;  ///< "": no right.
  std::string leases = R"({"items":[]})";

  std::string kubeconfig() const {
    return folder_.write(
        "config",
        "apiVersion: v1\nkind: Config\ncurrent-context: c\n"
        "contexts: [{name: c, context: {cluster: k, namespace: shop}}, {name: d, context: {}}]\n"
        "clusters: [{name: k, cluster: {server: \"" +
            server_.url() + "\"}}]\n");
  }
  /// The first lines and the bodies of what was asked.
  std::vector<std::string> asked() const {
    std::vector<std::string> all;
    for (const live::test::Request& request : server_.requests())
      all.push_back(request.head.substr(0, request.head.find(" HTTP/")) + ' ' + request.body);
    return all;
  }

 private:
  bool serve(live::test::Peer& peer, const live::test::Request& request) const {
    const std::string line = request.head.substr(0, request.head.find("\r\n"));
    if (line.contains("/proxy/") && line.contains("/explain")) {
      peer.write(answer(explained, explained_status));
    } else if (line.contains("/proxy/") && line.contains("/decisions")) {
      peer.write(answer(decisions, decisions_status));
    } else if (line.contains("/services")) {
      peer.write(answer(services, services_status));
    } else if (line.contains("/leases?")) {
      peer.write(answer(leases));
    } else if (line.starts_with("GET /api/v1/nodes ") && !nodes.empty()) {
      peer.write(answer(nodes));
    } else if (line.contains("/pods")) {
      peer.write(answer(pods));
    } else {
      peer.write(
          answer(R"({"kind":"Status","message":"nodes is forbidden: no","code":403})", "403 Forbidden"));
    }
    return true;
  }

  live::test::TempFolder folder_;
  live::test::TlsServer server_{{}, [this](live::test::Peer& peer, const live::test::Request& request) {
                                  return serve(peer, request);
                                }};
};

struct Printed {
  int code = -1;
  std::string out, err;
};

/// `kubectl winnow WORDS…` in this process.
Printed kubectl(std::vector<std::string> words) {
  words.insert(words.begin(), "kubectl-winnow");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  std::ostringstream out, err;
  std::streambuf* const out_before = std::cout.rdbuf(out.rdbuf());
  std::streambuf* const err_before = std::cerr.rdbuf(err.rdbuf());
  Printed printed;
  printed.code = kubectl_winnow(static_cast<int>(argv.size()), argv.data());
  std::cout.rdbuf(out_before);
  std::cerr.rdbuf(err_before);
  printed.out = out.str();
  printed.err = err.str();
  return printed;
}

Printed kubectl(const ProxyingCluster& cluster, std::vector<std::string> words) {
  words.insert(words.end(), {"--kubeconfig", cluster.kubeconfig()});
  return kubectl(std::move(words));
}

}  // namespace

TEST_SUITE("kubectl winnow") {
  TEST_CASE("a Winnow that runs is asked through the API server's proxy, in the context's namespace") {
    const ProxyingCluster cluster;
    const Printed why = kubectl(cluster, {"why", "web"});
    CHECK(why.code == 0);
    CHECK(why.out ==
          "shop/web fits 1 of 2 nodes; the best is n1, with a score of 7.\n"
          "  1 node: Insufficient cpu. Evictions might help.\n");
    CHECK(why.err == "kubectl winnow: answered by Winnow ops/w, through the API server\n");
    const auto asked = cluster.asked();
    REQUIRE(asked.size() == 3);
    CHECK(
        asked[0].starts_with("GET /api/v1/services?labelSelector=app.kubernetes.io%2Fname%20in%20%28winnow"));
    CHECK(
        asked[1] ==
        R"(POST /api/v1/namespaces/ops/services/https:w:10290/proxy/explain {"Namespace":"shop","Name":"web"})");
    CHECK(asked[2] ==
          "GET /api/v1/namespaces/ops/services/https:w:10290/proxy/decisions?pod=shop%2Fweb&limit=1 ");
  }

  TEST_CASE("why ends with the decision that the Winnow has kept, if it tells one") {
    struct Row {
      const char* sentence;
      const char* status;
      const char* decisions;
      const char* line;
    };
    const Row rows[] = {
        {"a decision", "200 OK",
         R"({"decisions":[{"time":"2026-11-25T12:04:31.000Z","verb":"filter","text":"nowhere\u001b"}]})",
         "Last decision: 2026-11-25 12:04:31 filter: nowhere\xef\xbf\xbd\n"},
        {"none is kept", "200 OK", R"({"decisions":[]})", ""},
        {"no decisions are kept at all", "404 Not Found", "no decisions are kept", ""},
        {"an older Winnow", "404 Not Found", "no such path", ""},
        {"no right", "403 Forbidden", R"({"kind":"Status","message":"no","code":403})", ""},
        {"no JSON", "200 OK", "<html>", ""},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      ProxyingCluster cluster;
      cluster.decisions = row.decisions;
      cluster.decisions_status = row.status;
      const Printed why = kubectl(cluster, {"why", "web"});
      CHECK(why.code == 0);
      CHECK(why.out ==
            "shop/web fits 1 of 2 nodes; the best is n1, with a score of 7.\n"
            "  1 node: Insufficient cpu. Evictions might help.\n" +
                std::string(row.line));
    }
  }

  TEST_CASE("why -o wide has whole names of nodes") {
    ProxyingCluster cluster;
    cluster.explained = R"({"pod":"shop/web","feasible":2,"selected":"a.pool.example.com","nodes":[
      {"name":"a.pool.example.com","fits":true,"filters":[],"scores":[],"total":7,"answer":10},
      {"name":"b.pool.example.com","fits":true,"filters":[],"scores":[],"total":7,"answer":10}]})";
    cluster.decisions = R"({"decisions":[{"time":"2026-11-25T12:04:31.000Z","verb":"filter",
      "text":"it went to b.pool.example.com: a tie"}]})";
    const std::string first = "shop/web fits 2 of 2 nodes; the best is ";
    const std::string last = "Last decision: 2026-11-25 12:04:31 filter: it went to ";
    CHECK(kubectl(cluster, {"why", "web"}).out ==
          first + "a, with a score of 7.\nNames of nodes end in .pool.example.com.\n" + last + "b: a tie\n");
    CHECK(kubectl(cluster, {"why", "web", "-o", "wide"}).out ==
          first + "a.pool.example.com, with a score of 7.\n" + last + "b.pool.example.com: a tie\n");
  }

  TEST_CASE("the answers in each form") {
    const ProxyingCluster cluster;
    const Printed json = kubectl(cluster, {"explain", "web", "-n", "x", "--nodes", "n0,n1", "-o", "json"});
    CHECK(json.code == 0);
    CHECK(json.out.starts_with(R"({"pod":"shop/web","feasible":1,"selected":"n1","nodes":[)"));
    CHECK(cluster.asked().back().ends_with(R"({"Namespace":"x","Name":"web","NodeNames":["n0","n1"]})"));
    CHECK(kubectl(cluster, {"explain", "web"}).out.starts_with("shop/web → n1 (1 of 2 nodes fits)\n"));
    CHECK(kubectl(cluster, {"why", "web", "-o", "json"}).out ==
          R"({"pod":"shop/web","nodes":2,"feasible":1,"selected":"n1","reasons":[)"
          R"({"nodes":1,"rule":"R","reason":"Insufficient cpu","evictionMightHelp":1,"causes":[]}]})"
          "\n");
  }

  TEST_CASE("explain -o json asks for the facts of scores, and hands them on; nobody else does") {
    ProxyingCluster cluster;
    cluster.explained = R"({"pod":"shop/web","feasible":1,"selected":"n1","nodes":[{"name":"n1","fits":true,)"
                        R"("filters":[],"scores":[{"rule":"R","score":7,"weight":1,"facts":[)"
                        R"({"kind":"image","size":5}]}],"total":7,"answer":10}]})";
    CHECK(kubectl(cluster, {"explain", "web", "-o", "json"})
              .out.contains(R"("weight":1,"facts":[{"kind":"image","size":5}]})"));
    CHECK(cluster.asked().back().starts_with(
        "POST /api/v1/namespaces/ops/services/https:w:10290/proxy/explain?facts=true "));
    for (const std::vector<std::string>& words : {std::vector<std::string>{"explain", "web"},
                                                  {"why", "web", "-o", "json"},
                                                  {"nodes", "web", "-o", "json"}}) {
      CAPTURE(words.front());
      kubectl(cluster, words);
    }
    CHECK(std::ranges::count_if(cluster.asked(),
                                [](const std::string& line) { return line.contains("facts=true"); }) == 1);
  }

  TEST_CASE("why: the gates of a pod come first, and then where it would fit") {
    ProxyingCluster cluster;
    const std::string before = R"({"pod":"shop/gated","feasible":0,"selected":null,)";
    const std::string gates = R"("gates":["x.dev/quota","x.dev/g"],)";
    const std::string waits = "shop/gated waits for its scheduling gates: x.dev/quota, x.dev/g.\n";
    cluster.explained = before + gates +
                        R"("nodes":[{"name":"n0","fits":false,"filters":[)"
                        R"({"rule":"R","fits":false,"resolvable":true,"reasons":["Insufficient cpu"]}]}]})";
    CHECK(kubectl(cluster, {"why", "gated"}).out ==
          waits +
              "Without them it fits none of 1 node.\n  1 node: Insufficient cpu. Evictions might help.\n");
    CHECK(kubectl(cluster, {"why", "gated", "-o", "json"})
              .out.contains(R"(,"gates":["x.dev/quota","x.dev/g"],"reasons":[)"));
    cluster.explained = before + R"("error":"stale",)" + gates + R"("nodes":[]})";
    CHECK(kubectl(cluster, {"why", "gated"}).out == waits + "shop/gated: error: stale.\n");
  }

  TEST_CASE("pending: pods that wait, by why; not those that are finished or on their way out") {
    ProxyingCluster cluster;
    const Printed fits = kubectl(cluster, {"pending"});
    CHECK(fits.code == 0);
    CHECK(fits.out ==
          "NAMESPACE   NAME    AGE         NODES   REASON\n"
          "shop        web     <unknown>   1/2     fits a node now, and waits for its scheduler\n"
          "shop        gated   <unknown>   -       waits for its scheduling gates: x.dev/g\n");
    CHECK(kubectl(cluster, {"pending", "-o", "name"}).out == "pod/web\npod/gated\n");
    CHECK(kubectl(cluster, {"pending", "-A", "-o", "json"})
              .out.ends_with(
                  R"(],"summary":[{"pods":1,"text":"1 of 1 pending pods fits somewhere"}],"notAsked":0})"
                  "\n"));
    CHECK(std::ranges::any_of(cluster.asked(), [](const std::string& line) {
      return line.starts_with("GET /api/v1/pods?fieldSelector=spec.nodeName%3D");
    }));
    cluster.pods = R"({"items":[]})";
    CHECK(kubectl(cluster, {"pending"}).err == "kubectl winnow: no pod waits in namespace shop\n");
  }

  TEST_CASE("pending goes on after a pod that Winnow does not know") {
    ProxyingCluster cluster;
    cluster.explained_status = "404 Not Found";
    cluster.explained = R"(pod "shop/web" is not in the picture of the cluster)";
    const Printed printed = kubectl(cluster, {"pending"});
    CHECK(printed.code == 0);
    CHECK(printed.out.contains("   not explained: pod \"shop/web\" is not in the picture"));
    CHECK(printed.out.ends_with("   waits for its scheduling gates: x.dev/g\n"));
  }

  TEST_CASE("of several Winnows that of kube-system is asked") {
    ProxyingCluster cluster;
    cluster.services = R"({"items":[
      {"metadata":{"namespace":"a","name":"x"},"spec":{"ports":[{"name":"http","port":1}]}},
      {"metadata":{"namespace":"kube-system","name":"w"},"spec":{"ports":[{"name":"http","port":2}]}},
      {"metadata":{"namespace":"z","name":"y"},"spec":{"ports":[{"name":"http","port":3}]}}]})";
    CHECK(kubectl(cluster, {"why", "web"}).err.contains("answered by Winnow kube-system/w,"));
    CHECK(
        cluster.asked().at(1).starts_with("POST /api/v1/namespaces/kube-system/services/w:2/proxy/explain"));
  }

  TEST_CASE("a Winnow behind a path prefix: its Service's annotation says which, or the flag") {
    struct Row {
      const char* sentence;
      const char* annotation;
      std::vector<std::string> words;
      const char* path;
    };
    const Row rows[] = {
        {"none", R"({"a":"b"})", {}, "/proxy/"},
        {"the annotation", R"({"winnow.dev/path-prefix":"/a/b"})", {}, "/proxy/a/b/"},
        {"the flag", "{}", {"--path-prefix", "/f"}, "/proxy/f/"},
        {"the flag counts", R"({"winnow.dev/path-prefix":"/a"})", {"--path-prefix=/f"}, "/proxy/f/"},
        {"no prefix, by the flag", R"({"winnow.dev/path-prefix":"/../x"})", {"--path-prefix="}, "/proxy/"},
    };
    const std::string before = R"({"metadata":{"namespace":"ops","name":"w","annotations":)";
    const std::string behind = R"(},"spec":{"ports":[{"name":"http","port":1}]}})";
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      for (const bool named : {false, true}) {
        ProxyingCluster cluster;
        const std::string service = before + row.annotation + behind;
        cluster.services = named ? service : R"({"items":[)" + service + "]}";
        std::vector<std::string> words = {"why", "web"};
        words.insert(words.end(), row.words.begin(), row.words.end());
        if (named) words.insert(words.end(), {"--winnow", "ops/w"});
        const Printed printed = kubectl(cluster, words);
        CHECK_MESSAGE(printed.code == 0, printed.err);
        const std::string path = "/api/v1/namespaces/ops/services/w:1" + std::string(row.path);
        CHECK(cluster.asked().at(1).starts_with("POST " + path + "explain "));
        CHECK(cluster.asked().at(2).starts_with("GET " + path + "decisions?"));
      }
    }
    ProxyingCluster wrong;
    const std::string service = before + R"({"winnow.dev/path-prefix":"/../../x"})" + behind;
    wrong.services = service;
    CHECK(kubectl(wrong, {"why", "web", "--winnow", "ops/w"})
              .err.contains("--winnow: ops/w has the annotation winnow.dev/path-prefix: found \"/../../x\", "
                            "expected a path"));
    wrong.services = R"({"items":[)" + service + "]}";
    auto api = ApiReader::make({.kubeconfig = wrong.kubeconfig(), .as_kubectl = true});
    REQUIRE(api);
    const auto found = find_winnow(**api, "");
    REQUIRE(found);
    CHECK(found->why_none.contains("has the annotation winnow.dev/path-prefix"));
  }

  TEST_CASE("an answer 200 that is no list is an error, and not an empty cluster") {
    for (const char* text : {"<html></html>", "", "[]", "{}", R"({"items":{}})",
                             R"({"items":[{"metadata":{"name":"a"}},{"metadata":7}]})", R"({"items":[)"}) {
      CAPTURE(std::string(text));
      ProxyingCluster cluster;
      cluster.pods = text;
      const Printed pods = kubectl(cluster, {"pending"});
      CHECK(pods.code == 2);
      CHECK(pods.err.contains("answers what is not a list of pods: "));
      cluster.services = text;
      const Printed services = kubectl(cluster, {"why", "web"});
      CHECK(services.code == 2);
      CHECK(services.err.contains("answers what is not a list of services: "));
      CHECK(services.err.find('\n') == services.err.size() - 1);
    }
  }

  TEST_CASE("numbers that no Winnow computes are shown, and overflow nothing") {
    ProxyingCluster cluster;
    cluster.explained = R"({"pod":"shop/web","feasible":2,"selected":"b","nodes":[
      {"name":"a","fits":true,"filters":[],"scores":[{"rule":"R","score":-9223372036854775808,
       "weight":9223372036854775807}],"total":-9223372036854775808,"answer":-1},
      {"name":"b","fits":true,"filters":[],"scores":[{"rule":"R","score":9223372036854775807,
       "weight":9223372036854775807}],"total":9223372036854775807,"answer":10}],
      "refused":{"times":-1,"seconds":1e300}})";
    const Printed printed = kubectl(cluster, {"explain", "web"});
    CHECK(printed.code == 0);
    CHECK(printed.out.starts_with("shop/web → b (2 of 2 nodes fit)\n"));
    CHECK(printed.out.contains("9223372036854775807"));
  }

  TEST_CASE("nodes are named by pattern and by label, and scores are said to be among them") {
    ProxyingCluster cluster;
    cluster.nodes = R"({"items":[{"metadata":{"name":"n0","labels":{"pool":"spot"}}},
      {"metadata":{"name":"n1","labels":{"pool":"spot"}}},{"metadata":{"name":"m"}}]})";
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"--nodes", "n*"}, {"--nodes=pool=spot"}, {"-l", "pool"}}) {
      std::vector<std::string> all = {"explain", "web"};
      all.insert(all.end(), words.begin(), words.end());
      const Printed printed = kubectl(cluster, all);
      CHECK_MESSAGE(printed.code == 0, printed.err);
      CHECK(cluster.asked().back().ends_with(R"(,"NodeNames":["n0","n1"]})"));
      CHECK(printed.out.contains("\nOnly these 2 nodes were asked about: scores,"));
    }
    const Printed none = kubectl(cluster, {"explain", "web", "-l", "pool=sopt"});
    CHECK(none.code == 2);
    CHECK(none.err == "kubectl winnow: -l: no node has pool=sopt (did you mean \"pool=spot\"?)\n");
  }

  TEST_CASE("a pod that Winnow does not know: pods of that name elsewhere are named, else near ones") {
    ProxyingCluster cluster;
    cluster.explained_status = "404 Not Found";
    cluster.explained = R"(pod "x/web" is not in the picture of the cluster)";
    CHECK(kubectl(cluster, {"why", "x/web"}).err.ends_with(" (did you mean \"shop/web\"?)\n"));
    CHECK(kubectl(cluster, {"why", "shop/gatd"}).err.ends_with(" (did you mean \"shop/gated\"?)\n"));
    CHECK(cluster.asked().back().starts_with("GET /api/v1/namespaces/shop/pods?limit=500"));
  }

  TEST_CASE("a node of --nodes that Winnow does not know is bad input") {
    const ProxyingCluster cluster;
    const Printed printed = kubectl(cluster, {"explain", "web", "--nodes", "n0,n9"});
    CHECK(printed.code == 2);
    CHECK(printed.out.empty());
    CHECK(
        printed.err ==
        "kubectl winnow: --nodes: node \"n9\" is not in the picture of the cluster that Winnow ops/w has\n");
  }

  TEST_CASE("what goes wrong is one line, says what to do, and the exit code is 2") {
    struct Row {
      const char* sentence;
      const char* status;
      const char* body;
      const char* said;
    };
    const Row rows[] = {
        {"a server that explains nothing", "200 OK", "hello", "ops/w is not a Winnow: it explains nothing"},
        {"a server without the path", "404 Not Found", "no such page",
         "is not a Winnow: it answers 404 to POST /explain; --path-prefix says"},
        {"a pod that Winnow does not know", "404 Not Found",
         "pod \"shop/web\" is not in the picture of the cluster", "of the cluster that Winnow ops/w has"},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      ProxyingCluster cluster;
      cluster.explained_status = row.status;
      cluster.explained = row.body;
      const Printed printed = kubectl(cluster, {"why", "web"});
      CAPTURE(printed.err);
      CHECK(printed.code == 2);
      CHECK(printed.err.find('\n') == printed.err.size() - 1);
      CHECK(printed.err.contains(row.said));
      CHECK(printed.out.empty());
    }
  }

  TEST_CASE("no word of a server steers the terminal, on standard error either") {
    ProxyingCluster cluster;
    cluster.services = R"({"items":[{"metadata":{"namespace":"ops","name":"w\u001b[2J\nx"},
      "spec":{"ports":[{"name":"http","port":10290}]}}]})";
    cluster.explained =
        R"({"pod":"shop/w\u001b]0;x\u0007","feasible":0,"selected":null,"error":"no\u001b[31m\nidea","nodes":[]})";
    for (const char* command : {"why", "nodes"}) {
      CAPTURE(command);
      const Printed printed = kubectl(cluster, {command, "web"});
      CAPTURE(printed.err);
      CHECK(printed.err.contains("answered by Winnow ops/w\xef\xbf\xbd[2J x, through"));
      CHECK(std::ranges::none_of(printed.out + printed.err, [](char c) { return c == '\x1b' || c == '\a'; }));
      std::istringstream lines(printed.err);
      for (std::string line; std::getline(lines, line);) CHECK(line.starts_with("kubectl winnow: "));
    }
  }

  TEST_CASE("where Winnow is out of reach the cluster itself is read; who names a Winnow wants that one") {
    struct Row {
      const char* sentence;
      const char* status;
      const char* body;
      const char* said;
    };
    const Row rows[] = {
        {"no right to the proxy", "403 Forbidden",
         R"({"kind":"Status","message":"services \"w\" is forbidden: cannot create resource \"services/proxy\"","code":403})",
         "it needs 'create' of 'services/proxy' in ops"},
        {"a port that asks for certificates", "401 Unauthorized",
         "Unauthorized: a client certificate is required", "wants a certificate or a token"},
        {"nobody behind the service", "503 Service Unavailable",
         R"({"kind":"Status","message":"no endpoints available for service \"w\"","code":503})",
         "no endpoints available"},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      ProxyingCluster cluster;
      cluster.explained_status = row.status;
      cluster.explained = row.body;
      // The cluster itself denies a right here: that it was asked shows in the error.
      const Printed printed = kubectl(cluster, {"why", "web"});
      CAPTURE(printed.err);
      CHECK(printed.code == 2);
      CHECK(printed.err.contains("nodes is forbidden"));
      CHECK(printed.err.contains("ask for the role winnow"));
      const Printed named = kubectl(cluster, {"why", "web", "--winnow", "ops/w"});
      CAPTURE(named.err);
      CHECK(named.code == 2);
      CHECK_FALSE(named.err.contains("nodes is forbidden"));
    }
  }

  TEST_CASE("of a Service that takes no calls it is told why; a nominator's takes none") {
    struct Row {
      const char* label;
      const char* said;
    };
    const Row rows[] = {
        {"winnow-nominator", "ops/w is a nominator, and a nominator takes no calls"},
        {"winnow-scheduler", "ops/w has no port for calls (http or https)"},
    };
    for (const Row& row : rows) {
      CAPTURE(row.label);
      const std::string service =
          R"({"metadata":{"namespace":"ops","name":"w","labels":{"app.kubernetes.io/name":")" +
          std::string(row.label) + R"("}},"spec":{"ports":[{"name":"metrics","port":10291}]}})";
      ProxyingCluster cluster;
      cluster.services = R"({"items":[)" + service + "]}";
      auto api = ApiReader::make({.kubeconfig = cluster.kubeconfig(), .as_kubectl = true});
      REQUIRE(api);
      const auto found = find_winnow(**api, "");
      REQUIRE(found);
      CHECK_FALSE(found->service);
      CHECK(found->why_none == row.said);
      cluster.services = service;
      const Printed named = kubectl(cluster, {"why", "web", "--winnow", "ops/w"});
      CHECK(named.err.contains(std::string("--winnow: ") + row.said));
    }
  }

  TEST_CASE("an API server that cannot be reached, or refuses the user") {
    const live::test::TempFolder folder;
    const std::string nowhere =
        folder.write("config",
                     "current-context: c\ncontexts: [{name: c, context: {cluster: k}}]\n"
                     "clusters: [{name: k, cluster: {server: \"http://127.0.0.1:1\"}}]\n");
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"why", "a"}, {"why", "a", "--winnow", "none"}, {"nodes"}, {"pending"}}) {
      std::vector<std::string> all = words;
      all.insert(all.end(), {"--kubeconfig", nowhere});
      const Printed printed = kubectl(all);
      CAPTURE(printed.err);
      CHECK(printed.code == 2);
      CHECK(printed.err.contains("'kubectl cluster-info' tells"));
      CHECK(printed.err.find('\n') == printed.err.size() - 1);
    }
    ProxyingCluster cluster;
    cluster.services_status = "401 Unauthorized";
    cluster.services = R"({"kind":"Status","message":"Unauthorized","code":401})";
    const Printed printed = kubectl(cluster, {"why", "web"});
    CHECK(printed.code == 2);
    CHECK(printed.err.contains("refuses the kubeconfig's credentials (401)"));
  }

  TEST_CASE("eval, simulate and compare read the cluster of the context, with the user's own rights") {
    const ProxyingCluster cluster;
    for (const std::vector<std::string>& words : {std::vector<std::string>{"simulate", "--drain", "n1"},
                                                  {"compare", "--placed"},
                                                  {"eval", "node.pods"}}) {
      const Printed printed = kubectl(cluster, words);
      CAPTURE(printed.err);
      CHECK(printed.code == 2);
      CHECK(printed.err.contains("nodes is forbidden"));
      CHECK(printed.err.find('\n') == printed.err.size() - 1);
    }
    CHECK(kubectl(cluster, {"simulate", "--count", "2"}).err.contains("--count needs --add-nodes"));
  }

  TEST_CASE("withdraw: with the user's own rights, and not while a Winnow nominates") {
    ProxyingCluster cluster;
    cluster.pods = R"({"items":[{"metadata":{"namespace":"shop","name":"g0","uid":"u","managedFields":[
      {"manager":"winnow-nominator","fieldsV1":{"f:status":{"f:nominatedNodeName":{}}}}]},
      "spec":{},"status":{"nominatedNodeName":"n1"}}]})";
    const Printed dry = kubectl(cluster, {"withdraw", "--dry-run"});
    CHECK(dry.code == 0);
    CHECK(dry.out == "would clear  shop/g0: the nomination for n1\n1 would be cleared, 0 left, 0 failed\n");
    CHECK(dry.err.empty());
    CHECK(
        kubectl(cluster, {"withdraw", "--dry-run", "-o", "json"})
            .out.starts_with(R"({"dryRun":true,"cleared":1,"left":0,"failed":0,"pods":[{"pod":"shop/g0",)"));
    cluster.leases = std::format(
        R"({{"items":[{{"metadata":{{"namespace":"ops","name":"winnow-nominator"}},
            "spec":{{"holderIdentity":"w-1","leaseDurationSeconds":15,"renewTime":"{:%FT%T}Z"}}}}]}})",
        std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()));
    const Printed led = kubectl(cluster, {"withdraw"});
    CHECK(led.code == 2);
    CHECK(led.out.empty());
    CHECK(led.err.starts_with(
        "kubectl winnow: a Winnow still nominates, and would write again what is cleared: "
        "ops/winnow-nominator by w-1; stop it first"));
    CHECK(kubectl(cluster, {"withdraw", "--nominate-gate", "no gate"}).code == 2);
    for (const std::string& asked : cluster.asked()) CHECK_FALSE(asked.starts_with("PATCH"));
  }

  TEST_CASE("completion: words, values, and names of the cluster") {
    ProxyingCluster cluster;
    const std::string file = cluster.kubeconfig();
    CHECK(complete({}) ==
          "compare\ncompletion\neval\nexplain\nnodes\npending\nsimulate\nwhy\nwithdraw\n:4\n");
    CHECK(complete({"w"}) == "why\nwithdraw\n:4\n");
    CHECK(complete({"withdraw", "-o", "j"}) == "json\n:4\n");
    CHECK(complete({"withdraw", "--dry"}) == "--dry-run\n:4\n");
    CHECK(complete({"withdraw", "--nominate-gate", ""}) == ":4\n");
    CHECK(complete({"simulate", "--pods", "x"}) == ":0\n");
    CHECK(complete({"simulate", "--unt"}) == "--until-full\n:4\n");
    CHECK(complete({"nodes", "-o", "w"}) == "wide\n:4\n");
    CHECK(complete({"why", "-o", ""}) == "table\nwide\njson\n:4\n");
    CHECK(complete({"pending", "--all"}) == "--all-namespaces\n:4\n");
    CHECK(complete({"why", "--kubeconfig", file, "--context", ""}) == "c\nd\n:4\n");
    CHECK(complete({"why", "--kubeconfig", ""}) == ":0\n");
    CHECK(complete({"why", "--kubeconfig", file, "g"}) == "gated\ngone\n:4\n");
    CHECK(cluster.asked().back().starts_with("GET /api/v1/namespaces/shop/pods?limit=500"));
    CHECK(complete({"why", "--kubeconfig", file, "-n", "x", "w"}) == "web\n:4\n");
    CHECK(cluster.asked().back().starts_with("GET /api/v1/namespaces/x/pods?limit=500"));
    CHECK(complete({"why", "--kubeconfig", "/no/such", ""}) == ":4\n");
    CHECK(complete({"-n", "x", "wh"}) == "why\n:4\n");
    CHECK(complete({"--kubeconfig", file, "-nx", "why", "w"}) == "web\n:4\n");
    CHECK(cluster.asked().back().starts_with("GET /api/v1/namespaces/x/pods?limit=500"));
    CHECK(complete({"nodes", "--output=w"}) == "wide\n:4\n");
    CHECK(complete({"nodes", "--output", "=", "w"}) == "wide\n:4\n");
    CHECK(complete({"why", "--output", "="}) == "table\nwide\njson\n:4\n");
    cluster.pods = R"x({"items":[{"metadata":{"name":"a;$(id)"}},{"metadata":{"name":"a b"}},
      {"metadata":{"name":"a-1.x"}},{"metadata":{"name":"-a"}}]})x";
    CHECK(complete({"why", "--kubeconfig", file, ""}) == "a-1.x\n:4\n");
    for (const char* shell : {"bash", "zsh", "fish"})
      CHECK(kubectl({"completion", shell}).out.contains("kubectl-winnow __complete"));
  }
}

}  // namespace winnow::test
