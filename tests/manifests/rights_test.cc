// The role in manifests/rbac.yaml lets Winnow read what its rules read, and nothing else.
#include <doctest/doctest.h>
#include <rapidjson/document.h>

#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>

#include "cluster/api/kinds.h"
#include "cluster/text/json_document.h"
#include "extender/config/gates.h"
#include "extender/config/rules.h"
#include "extender/engine/ruleset.h"
#include "predicates/records.h"
#include "priorities/records.h"

namespace winnow {
namespace {

using Json = rapidjson::Value;
using Names = std::set<std::string>;

/// "list services", "watch csinodes.storage.k8s.io"
std::string right(std::string_view verb, std::string_view group, std::string_view resource) {
  std::string text = std::string(verb) + ' ' + std::string(resource);
  return group.empty() ? text : text + '.' + std::string(group);
}

/// What the ClusterRole grants.
Names rights_of(std::string_view role) {
  std::ifstream stream(std::string(WINNOW_ROOT) + "/manifests/rbac.yaml");
  DocumentReader reader({std::istreambuf_iterator<char>(stream), {}});
  Names rights;
  while (true) {
    rapidjson::Document object;
    const auto more = reader.next(object);
    REQUIRE(more.has_value());
    if (!*more) return rights;
    if (std::string_view(object["kind"].GetString()) != "ClusterRole" ||
        object["metadata"]["name"].GetString() != role)
      continue;
    for (const Json& rule : object["rules"].GetArray())
      for (const Json& group : rule["apiGroups"].GetArray())
        for (const Json& resource : rule["resources"].GetArray())
          for (const Json& verb : rule["verbs"].GetArray())
            rights.insert(right(verb.GetString(), group.GetString(), resource.GetString()));
  }
}

/// The kinds that any rule reads, that the service reads, and that decide about devices.
WatchedKinds all_read() {
  WatchedKinds kinds = needed(load_rules("config",
                                         R"({"kind":"KubeSchedulerConfiguration",
                                             "apiVersion":"kubescheduler.config.k8s.io/v1"})",
                                         parse_gates("").value())
                                  .value()
                                  .sets) |
                       needs::kClasses | needs::kDevices;
  const auto add = [&](const auto& records) {
    for (const auto& record : records) kinds |= record.needs;
  };
  add(predicates::classic());
  add(priorities::classic());
  add(predicates::plugins());
  add(priorities::plugins());
  return kinds;
}

TEST_CASE("manifests: the role winnow has a right for each kind that rules read, and no other") {
  const WatchedKinds kinds = all_read();
  Names wanted;
  for (const ResourceKind kind : kAllKinds) {
    const KindInfo& info = info_of(kind);
    if (!kinds.has(kind)) continue;
    for (const char* const verb : {"list", "watch"})
      wanted.insert(right(verb, group_of(info.api_version), info.resource));
  }
  CHECK(rights_of("winnow") == wanted);
}

}  // namespace
}  // namespace winnow
