// What serve refuses before it listens.
#include <doctest/doctest.h>

#include <cstdlib>
#include <iostream>
#include <sstream>

#include "extender/cli/commands.h"
#include "extender/cli/flags.h"

namespace winnow::test {
namespace {

std::pair<int, std::string> serve_with(const CommonFlags& common, const ServeFlags& flags) {
  std::ostringstream printed;
  std::streambuf* const before = std::cerr.rdbuf(printed.rdbuf());
  const int code = serve(common, flags);
  std::cerr.rdbuf(before);
  return {code, printed.str()};
}

TEST_CASE("serve says which flags do not go together, in one line") {
  struct Row {
    const char* sentence;
    void (*set)(CommonFlags&, ServeFlags&);
    const char* says;
  };
  const Row rows[] = {
      {"no cluster at all", [](CommonFlags&, ServeFlags&) {},
       "no cluster: give --cluster FILE..., or --kubeconfig FILE"},
      {"files and a live cluster",
       [](CommonFlags& common, ServeFlags&) {
         common.cluster = {"c.json"};
         common.client.kubeconfig = "k.conf";
       },
       "--cluster is a picture that stays as it is"},
      {"binding in files",
       [](CommonFlags& common, ServeFlags& flags) {
         common.cluster = {"c.json"};
         flags.enable_bind = true;
       },
       "--enable-bind needs a live cluster"},
      {"binding for everybody",
       [](CommonFlags& common, ServeFlags& flags) {
         common.client.masters = {"https://127.0.0.1:1"};
         flags.enable_bind = true;
         flags.bind_address = "0.0.0.0";
       },
       "--enable-bind: --bind-address 0.0.0.0 is not loopback"},
      {"a kubeconfig that is not there",
       [](CommonFlags& common, ServeFlags&) { common.client.kubeconfig = "/nowhere/k.conf"; },
       "/nowhere/k.conf"},
  };
  unsetenv("KUBERNETES_SERVICE_HOST");
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    CommonFlags common;
    ServeFlags flags;
    row.set(common, flags);
    const auto [code, printed] = serve_with(common, flags);
    CHECK(code == kBadInput);
    CHECK(printed.contains(row.says));
    CHECK(printed.starts_with("winnow serve: "));
  }
}

}  // namespace
}  // namespace winnow::test
