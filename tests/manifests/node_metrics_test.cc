// The role of manifests/node-metrics.yaml is what `--node-metrics=metrics-server` asks for, and nothing else.
#include <doctest/doctest.h>
#include <rapidjson/document.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "cluster/text/json_document.h"
#include "extender/config/gates.h"
#include "extender/config/rules.h"
#include "extender/operate/doctor.h"
#include "extender/operate/rights.h"

namespace winnow {
namespace {

using Texts = std::set<std::string>;

/// The rights of the file's role, and the accounts that it is bound to.
struct Granted {
  Texts rights, accounts;
};

Granted granted_by(const std::string& role) {
  std::ifstream stream(std::string(WINNOW_ROOT) + "/manifests/node-metrics.yaml");
  DocumentReader reader({std::istreambuf_iterator<char>(stream), {}});
  Granted granted;
  rapidjson::Document object;
  for (auto more = reader.next(object); more && *more; more = reader.next(object)) {
    CHECK(object["metadata"]["name"].GetString() == role);
    if (object.HasMember("subjects")) {
      CHECK(object["roleRef"]["name"].GetString() == role);
      for (const auto& subject : object["subjects"].GetArray())
        granted.accounts.insert(subject["name"].GetString());
      continue;
    }
    for (const auto& rule : object["rules"].GetArray())
      for (const auto& group : rule["apiGroups"].GetArray())
        for (const auto& resource : rule["resources"].GetArray())
          for (const auto& verb : rule["verbs"].GetArray())
            granted.rights.insert(to_text({.verb = verb.GetString(),
                                           .group = group.GetString(),
                                           .resource = resource.GetString(),
                                           .subresource = "",
                                           .ns = "",
                                           .name = ""}));
  }
  return granted;
}

TEST_CASE("manifests: node-metrics.yaml grants what is asked of metrics-server, to each way's account") {
  const LoadedRules rules = named_rules("default", parse_gates("").value()).value();
  const auto needed = rights_needed(rules, {.start = {}, .asks_metrics_server = true}, "jane");
  const auto found = std::ranges::find(needed, std::string("node-metrics.yaml"),
                                       [](const NeededRights& one) { return std::string(one.manifest); });
  REQUIRE(found != needed.end());
  CHECK(found->optional);
  Texts rights;
  for (const Right& right : found->rights) rights.insert(to_text(right));
  const Granted granted = granted_by(std::string(found->role));
  CHECK(granted.rights == rights);
  CHECK(granted.accounts == Texts{"winnow", "winnow-nominator", "winnow-scheduler", "winnow-shadow"});
}

}  // namespace
}  // namespace winnow
