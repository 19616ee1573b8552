#include "extender/cli/named_pods.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "extender/cli/flags/common_flags.h"
#include "tests/builders.h"
#include "tests/cluster/client/transport/temp_folder.h"

namespace winnow::test {

TEST_CASE("a bare name is of -n, else of the current context, else of default") {
  const live::test::TempFolder folder;
  const std::string file = folder.write(
      "config",
      R"({"current-context":"c","contexts":[{"name":"c","context":{"cluster":"k","namespace":"shop"}},
          {"name":"d","context":{"cluster":"k"}}],"clusters":[{"name":"k","cluster":{"server":"https://k:1"}}]})");
  struct Row {
    const char* sentence;
    CommonFlags flags;
    const char *text, *full;
  };
  const Row rows[] = {
      {"nothing is said", {}, "web", "default/web"},
      {"-n", {.pod_namespace = "prod"}, "web", "prod/web"},
      {"the context of --kubeconfig", {.client = {.kubeconfig = file}}, "web", "shop/web"},
      {"the context of KUBECONFIG", {.client = {.files = {file}}}, "web", "shop/web"},
      {"a context without a namespace", {.client = {.context = "d", .files = {file}}}, "web", "default/web"},
      {"-n before the context", {.client = {.files = {file}}, .pod_namespace = "prod"}, "web", "prod/web"},
      {"the name's own", {.client = {.files = {file}}}, "prod/web", "prod/web"},
      {"files have no context", {.cluster = {"c.json"}, .client = {.files = {file}}}, "web", "default/web"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    const auto pod = named_pod(row.flags, row.text);
    REQUIRE(pod);
    CHECK(pod->full() == row.full);
  }
}

TEST_CASE("the error for a pod that is not there names those that may be meant") {
  struct Row {
    const char* sentence;
    std::vector<std::string> known;
    const char* near;
  };
  const Row rows[] = {
      {"none is near", {"shop/db"}, ""},
      {"that name in another namespace", {"shop/web-1", "a/db"}, " (did you mean \"shop/web-1\"?)"},
      {"that name before near ones", {"default/web-2", "shop/web-1"}, " (did you mean \"shop/web-1\"?)"},
      {"that name in several", {"b/web-1", "a/web-1"}, " (did you mean \"a/web-1\" or \"b/web-1\"?)"},
      {"a near name in the namespace", {"default/web-2"}, " (did you mean \"default/web-2\"?)"},
      {"a near name in another one",
       {"a-long-namespace/web-2"},
       " (did you mean \"a-long-namespace/web-2\"?)"},
      {"three at most",
       {"a/web-1", "b/web-1", "c/web-1", "d/web-1"},
       " (did you mean \"a/web-1\", \"b/web-1\" or \"c/web-1\"?)"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    CHECK(near_pods({"default", "web-1"}, row.known) == row.near);
  }
}

TEST_CASE("pods are found in a state by all of their names") {
  State state;
  state.set_pod(pod("web").in("shop"));
  CHECK(known_pod(state, ObjectName{"shop", "web"}) == state.find_pod("shop", "web"));
  CHECK(known_pod(state, {.cluster = {"-"}, .pod_namespace = "shop"}, "pod/web"));
  CHECK(known_pod(state, {.cluster = {"-"}}, "web").error() ==
        "pod \"default/web\" is not in the cluster (did you mean \"shop/web\"?)");
}

}  // namespace winnow::test
