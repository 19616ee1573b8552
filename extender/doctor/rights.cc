#include "extender/doctor/rights.h"

#include <format>

#include "cluster/api/kinds.h"
#include "cluster/text/json/json_string.h"
#include "extender/config/needed.h"

namespace winnow {
namespace {

constexpr std::string_view kServiceAccount = "system:serviceaccount:";
constexpr std::string_view kLeaseNamespace = "kube-system";

NeededRights of_the_picture(const LoadedRules& rules) {
  NeededRights needed{
      .role = "winnow", .role_ns = "", .manifest = "rbac.yaml", .needed_for = "the rules", .rights = {}};
  const Needs kinds = winnow::needed(rules.sets);
  for (std::size_t i = 0; i < kResourceKinds; ++i) {
    const ResourceKind kind = static_cast<ResourceKind>(i);
    if (!kinds.has(kind)) continue;
    const KindInfo& info = info_of(kind);
    for (const char* const verb : {"list", "watch"})
      needed.rights.push_back({.verb = verb,
                               .group = std::string(group_of(info.api_version)),
                               .resource = std::string(info.resource),
                               .subresource = "",
                               .ns = "",
                               .name = ""});
  }
  return needed;
}

void add_nominator(const DoctorSetup& setup, std::vector<NeededRights>& all) {
  if (!setup.nominate) return;
  all.push_back(
      {.role = "winnow-nominator",
       .role_ns = "",
       .manifest = "nominator.yaml",
       .needed_for = "--nominate",
       .rights = {
           {.verb = "patch", .group = "", .resource = "pods", .subresource = "status", .ns = "", .name = ""},
           {.verb = "get", .group = "", .resource = "pods", .subresource = "", .ns = "", .name = ""},
           {.verb = "create",
            .group = "events.k8s.io",
            .resource = "events",
            .subresource = "",
            .ns = "",
            .name = ""}}});
  NeededRights lease{.role = "winnow-nominator-lease",
                     .role_ns = kLeaseNamespace,
                     .manifest = "nominator.yaml",
                     .needed_for = "--leader-elect",
                     .rights = {}};
  for (const char* const verb : {"get", "update"})
    lease.rights.push_back({.verb = verb,
                            .group = "coordination.k8s.io",
                            .resource = "leases",
                            .subresource = "",
                            .ns = std::string(kLeaseNamespace),
                            .name = "winnow-nominator"});
  all.push_back(std::move(lease));
  if (setup.removes_gate)
    all.push_back(
        {.role = "winnow-nominator-gate",
         .role_ns = "",
         .manifest = "nominator-gate.yaml",
         .needed_for = "--nominate-gate",
         .rights = {
             {.verb = "patch", .group = "", .resource = "pods", .subresource = "", .ns = "", .name = ""}}});
}

}  // namespace

std::vector<NeededRights> rights_needed(const LoadedRules& rules, const DoctorSetup& setup) {
  std::vector<NeededRights> all{of_the_picture(rules)};
  if (setup.start.enable_bind)
    all.push_back(
        {.role = "winnow-bind",
         .role_ns = "",
         .manifest = "rbac.yaml",
         .needed_for = "--enable-bind",
         .rights = {
             {.verb = "create",
              .group = "",
              .resource = "pods",
              .subresource = "binding",
              .ns = "",
              .name = ""},
             {.verb = "get", .group = "", .resource = "pods", .subresource = "", .ns = "", .name = ""}}});
  add_nominator(setup, all);
  if (setup.discovers) {
    NeededRights slices{.role = "winnow-api-servers",
                        .role_ns = "default",
                        .manifest = "rbac.yaml",
                        .needed_for = "--discover-api-servers",
                        .rights = {}};
    for (const char* const verb : {"list", "watch"})
      slices.rights.push_back({.verb = verb,
                               .group = "discovery.k8s.io",
                               .resource = "endpointslices",
                               .subresource = "",
                               .ns = "default",
                               .name = ""});
    all.push_back(std::move(slices));
  }
  if (setup.reviews_tokens)
    all.push_back({.role = "system:auth-delegator",
                   .role_ns = "",
                   .manifest = "",
                   .needed_for = "--authorization-webhook=apiserver",
                   .rights = {{.verb = "create",
                               .group = "authentication.k8s.io",
                               .resource = "tokenreviews",
                               .subresource = "",
                               .ns = "",
                               .name = ""},
                              {.verb = "create",
                               .group = "authorization.k8s.io",
                               .resource = "subjectaccessreviews",
                               .subresource = "",
                               .ns = "",
                               .name = ""}}});
  return all;
}

std::string command_to_grant(const NeededRights& needed, std::string_view user) {
  std::string subject = std::format("--user={}", user);
  if (user.starts_with(kServiceAccount))
    subject = std::format("--serviceaccount={}", user.substr(kServiceAccount.size()));
  const std::string command =
      needed.role_ns.empty()
          ? std::format("kubectl create clusterrolebinding NAME --clusterrole={} {}", needed.role, subject)
          : std::format("kubectl -n {} create rolebinding NAME --role={} {}", needed.role_ns, needed.role,
                        subject);
  if (needed.manifest.empty()) return command;
  return std::format("{}  # the role stands in manifests/{}", command, needed.manifest);
}

std::string to_text(const Right& right) {
  std::string text = right.verb + " " + right.resource;
  if (!right.group.empty()) text += "." + right.group;
  if (!right.subresource.empty()) text += "/" + right.subresource;
  if (!right.name.empty()) text += " " + right.name;
  if (!right.ns.empty()) text += " in " + right.ns;
  return text;
}

std::string review_body(const Right& right, std::string_view user) {
  std::string body = R"({"apiVersion":"authorization.k8s.io/v1","kind":)";
  body += user.empty() ? R"("SelfSubjectAccessReview")" : R"("SubjectAccessReview")";
  body += R"(,"spec":{"resourceAttributes":{)";
  const std::pair<std::string_view, const std::string&> fields[] = {
      {"verb", right.verb},         {"group", right.group},
      {"resource", right.resource}, {"subresource", right.subresource},
      {"namespace", right.ns},      {"name", right.name}};
  bool first = true;
  for (const auto& [key, value] : fields) {
    if (value.empty()) continue;
    body += std::format("{}\"{}\":", first ? "" : ",", key);
    append_quoted(body, value);
    first = false;
  }
  body += '}';
  if (!user.empty()) {
    body += R"(,"user":)";
    append_quoted(body, user);
    // What the API server itself finds in a service account's token.
    if (user.starts_with(kServiceAccount)) {
      const std::string_view rest = user.substr(kServiceAccount.size());
      body += R"(,"groups":["system:serviceaccounts","system:authenticated",)";
      append_quoted(body, "system:serviceaccounts:" + std::string(rest.substr(0, rest.find(':'))));
      body += ']';
    } else {
      body += R"(,"groups":["system:authenticated"])";
    }
  }
  return body + "}}";
}

}  // namespace winnow
