#include "extender/cli/flags/object_name.h"

#include <doctest/doctest.h>

namespace winnow::test {

TEST_CASE("a pod is named alone, with its namespace, or as kubectl names it") {
  struct Row {
    const char* sentence;
    const char *text, *ns;
    ObjectName pod;
  };
  const Row rows[] = {
      {"a bare name has no namespace yet", "web", "", {"", "web"}},
      {"a bare name is of -n", "web", "shop", {"shop", "web"}},
      {"the namespace stands before the name", "shop/web", "", {"shop", "web"}},
      {"-n may say the same", "shop/web", "shop", {"shop", "web"}},
      {"a kind is no namespace", "pod/web", "", {"", "web"}},
      {"a kind goes with -n", "pods/web", "shop", {"shop", "web"}},
      {"the short kind", "po/web", "", {"", "web"}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    const auto pod = parse_pod_name(row.text, row.ns);
    REQUIRE(pod);
    CHECK(*pod == row.pod);
  }
}

TEST_CASE("what is no pod's name is told in one line") {
  struct Row {
    const char* sentence;
    const char *text, *ns, *error;
  };
  const Row rows[] = {
      {"three parts", "a/b/c", "", "\"a/b/c\": expected NAME, NAMESPACE/NAME or pod/NAME"},
      {"a kind, and a namespace", "pod/a/b", "", "\"pod/a/b\": expected NAME, NAMESPACE/NAME or pod/NAME"},
      {"nothing before the slash", "/web", "", "\"/web\": expected NAME, NAMESPACE/NAME or pod/NAME"},
      {"nothing at all", "", "", "expected the name of a pod, and it is empty"},
      {"nothing behind the slash", "shop/", "", "expected the name of a pod, and it is empty"},
      {"two namespaces", "shop/web", "prod", "\"shop/web\" and -n prod name two namespaces"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    CHECK(parse_pod_name(row.text, row.ns).error() == row.error);
  }
}

}  // namespace winnow::test
