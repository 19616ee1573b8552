// The table of kinds agrees with the API's own conventions, and can be gone over in both ways.
#include "cluster/api/kinds.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

namespace winnow {
namespace {

template <class Object>
using List = std::vector<Object>;

/// As Kubernetes makes it: "CSIStorageCapacity" to "csistoragecapacities".
std::string plural_of(std::string_view kind) {
  std::string plural(kind);
  std::ranges::transform(plural, plural.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (plural.ends_with('y')) return plural.substr(0, plural.size() - 1) + "ies";
  return plural + (plural.ends_with('s') ? "es" : "s");
}

TEST_SUITE("kinds") {
  TEST_CASE("resources are the plurals of kinds, each of them once, in a version") {
    std::set<std::string_view> resources;
    for (const ResourceKind kind : kAllKinds) {
      const KindInfo& info = info_of(kind);
      CAPTURE(info.kind);
      const std::string_view group = group_of(info.api_version);
      // Its resource has the name of another one, and nobody has called its API stable.
      const bool measures = kind == kind_of<NodeMetrics>;
      CHECK(info.resource == (measures ? "nodes." + std::string(group) : plural_of(info.kind)));
      CHECK(resources.insert(info.resource).second);
      const std::string version = measures ? "v1beta1" : "v1";
      CHECK(info.api_version == (group.empty() ? version : std::string(group) + '/' + version));
    }
    CHECK(resources.size() == kResourceKinds);
  }

  TEST_CASE("a row is found by its struct, and a struct by its row") {
    std::size_t row = 0;
    for_each_kind([&]<class Object>(const Kind<Object>& kind) {
      CHECK(kind_of<Object> == kAllKinds[row]);
      CHECK(info_of(kind_of<Object>).kind == kind.kind);
      ++row;
    });
    CHECK(row == kResourceKinds);
    CHECK(info_of(kind_of<CsiNode>).kind == "CSINode");
    CHECK(info_of(kind_of<PodDisruptionBudget>).resource == "poddisruptionbudgets");
    static_assert(
        std::is_same_v<std::tuple_element_t<static_cast<std::size_t>(kind_of<Pod>), TupleOfKinds<List>>,
                       std::vector<Pod>>);
  }

  TEST_CASE("scripts of the tests that list the kinds have all of them, in the table's order") {
    for (const char* const script : {"tests/fuzz/make_corpus.py", "tests/recording/recording_test.py"}) {
      CAPTURE(script);
      std::stringstream read;
      read << std::ifstream(std::string(WINNOW_ROOT) + '/' + script).rdbuf();
      std::string list = read.str();
      list.erase(0, list.find("\nKINDS = "));
      list.erase(list.find("\n\n"));
      std::size_t at = 0;
      for (const ResourceKind kind : kAllKinds) {
        CAPTURE(info_of(kind).kind);
        const std::regex word("\\b" + std::string(info_of(kind).kind) + "\\b");
        std::smatch found;
        REQUIRE(std::regex_search(list, found, word));
        // The script's plural of this one is a line of its own.
        if (kind == kind_of<CsiStorageCapacity>) continue;
        CHECK(static_cast<std::size_t>(found.position()) >= at);
        at = static_cast<std::size_t>(found.position());
      }
    }
  }

  TEST_CASE("the group of an apiVersion") {
    CHECK(group_of("v1").empty());
    CHECK(group_of("policy/v1") == "policy");
    CHECK(group_of("storage.k8s.io/v1") == "storage.k8s.io");
    CHECK(group_of("").empty());
  }

  TEST_CASE("a set of kinds has what was put in, and nothing else") {
    for (const ResourceKind one : kAllKinds)
      for (const ResourceKind other : kAllKinds) {
        CHECK(WatchedKinds(one).has(other) == (one == other));
        CHECK((one | other).has(other));
      }
    CHECK((WatchedKinds(kind_of<Pod>) | kind_of<Node>) == (kind_of<Node> | kind_of<Pod>));
    CHECK(WatchedKinds() == needs::kNothing);
  }
}

}  // namespace
}  // namespace winnow
