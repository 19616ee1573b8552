#include <doctest/doctest.h>

#include "cluster/text/words.h"

namespace winnow {
namespace {

TEST_CASE("a name that is not known is met with the names that it may have been meant to be") {
  constexpr std::string_view kKnown[] = {"HostName", "NoDiskConflict", "PodFitsResources", "PodFitsHostPorts",
                                         "PodFitsHost"};
  struct Row {
    const char* sentence;
    const char* name;
    const char* says;
  };
  const Row rows[] = {
      {"another case is the name itself", "hostname", " (did you mean \"HostName\"?)"},
      {"another case hides what else is near", "podfitshost", " (did you mean \"PodFitsHost\"?)"},
      {"a letter too few", "NoDiskConflic", " (did you mean \"NoDiskConflict\"?)"},
      {"a letter too many", "NoDiskkConflict", " (did you mean \"NoDiskConflict\"?)"},
      {"two letters swapped", "NoDiskCnoflict", " (did you mean \"NoDiskConflict\"?)"},
      {"another letter", "NoDiskKonflict", " (did you mean \"NoDiskConflict\"?)"},
      {"a part of the name", "Resources", " (did you mean \"PodFitsResources\"?)"},
      {"the slip comes before the part", "PodFitsHosts",
       " (did you mean \"PodFitsHost\" or \"PodFitsHostPorts\"?)"},
      {"nothing near says nothing", "Frobnicate", ""},
      {"no name says nothing", "", ""},
      {"a short part says nothing", "Pod", ""},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    CHECK(did_you_mean(row.name, kKnown) == row.says);
  }
}

TEST_CASE("a name of any length is answered at once") {
  constexpr std::string_view kKnown[] = {"HostName"};
  CHECK(near_names(std::string(1 << 20, 'x'), kKnown).empty());
}

}  // namespace
}  // namespace winnow
