#include "extender/operate/rights.h"

#include <algorithm>
#include <format>
#include <utility>

#include "cluster/api/kinds.h"
#include "cluster/text/characters.h"
#include "cluster/text/json.h"
#include "cluster/text/words.h"
#include "extender/config/extenders.h"
#include "extender/config/rules.h"
#include "extender/operate/doctor.h"

namespace winnow {
namespace {

constexpr std::string_view kServiceAccount = "system:serviceaccount:";
constexpr std::string_view kLeaseNamespace = "kube-system";

/// The rights to read the kinds that the rules read. @param optional  those of kOptional; else the others.
NeededRights of_the_cache(const LoadedRules& rules, bool optional) {
  NeededRights needed{.role = "winnow",
                      .role_ns = "",
                      .manifest = "rbac.yaml",
                      .needed_for = optional ? "devices, and classes of new pods" : "the rules",
                      .rights = {},
                      .optional = optional};
  const WatchedKinds kinds = winnow::needed(rules.sets) | needs::kClasses;
  for (std::size_t i = 0; i < kResourceKinds; ++i) {
    const ResourceKind kind = static_cast<ResourceKind>(i);
    if (!kinds.has(kind)) continue;
    const KindInfo& info = info_of(kind);
    if ((info.presence == kOptional) != optional) continue;
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

NeededRights of_the_lease(const DoctorSetup& setup, std::string_view user) {
  const std::string ns = lease_namespace(setup, user);
  NeededRights needed{.role = "winnow-nominator-lease",
                      .role_ns = ns,
                      .manifest = "nominator.yaml",
                      .needed_for = "--leader-elect",
                      .rights = {}};
  for (const char* const verb : {"get", "update"})
    needed.rights.push_back({.verb = verb,
                             .group = "coordination.k8s.io",
                             .resource = "leases",
                             .subresource = "",
                             .ns = ns,
                             .name = setup.lease_name});
  return needed;
}

NeededRights of_nominations(const DoctorSetup& setup) {
  NeededRights needed{
      .role = "winnow-nominator",
      .role_ns = "",
      .manifest = "nominator.yaml",
      .needed_for = "--nominate",
      .rights = {
          {.verb = "patch", .group = "", .resource = "pods", .subresource = "status", .ns = "", .name = ""},
          {.verb = "get", .group = "", .resource = "pods", .subresource = "", .ns = "", .name = ""}}};
  if (setup.writes_events)
    needed.rights.push_back({.verb = "create",
                             .group = "events.k8s.io",
                             .resource = "events",
                             .subresource = "",
                             .ns = "",
                             .name = ""});
  return needed;
}

void add_nominator(const DoctorSetup& setup, std::string_view user, std::vector<NeededRights>& all) {
  if (!setup.nominate) return;
  all.push_back(of_nominations(setup));
  if (setup.elects) all.push_back(of_the_lease(setup, user));
  if (setup.removes_gate)
    all.push_back(
        {.role = "winnow-nominator-gate",
         .role_ns = "",
         .manifest = "nominator-gate.yaml",
         .needed_for = "--nominate-gate",
         .rights = {
             {.verb = "patch", .group = "", .resource = "pods", .subresource = "", .ns = "", .name = ""}}});
}

/// A name for the binding: `winnow-bind:jane`, `winnow:kube-system:winnow`. No binding of the manifests has a
/// colon in its name, so none of them has this one. Names with `system:` in front are Kubernetes' own.
std::string name_of_binding(std::string_view role, std::string_view user) {
  if (user.starts_with(kServiceAccount)) user.remove_prefix(kServiceAccount.size());
  std::string name(role);
  std::ranges::replace(name, ':', '-');
  name.append(":").append(user);
  const auto is_odd = [](char c) { return !is_alphanumeric(c) && c != '.' && c != '-' && c != ':'; };
  std::ranges::replace_if(name, is_odd, '-');
  return name;
}

std::string in_json(std::string_view text) {
  std::string json;
  append_quoted(json, text);
  return json;
}

/// The JSON patch that adds the rights to a role. Verbs of the same objects, which stand together, make one
/// rule.
std::string patch_of(const std::vector<Right>& rights) {
  std::string patch;
  for (auto right = rights.begin(); right != rights.end();) {
    const auto same_objects = [&](const Right& other) {
      return other.group == right->group && other.resource == right->resource &&
             other.subresource == right->subresource && other.name == right->name;
    };
    const auto end = std::find_if_not(right, rights.end(), same_objects);
    std::string verbs;
    for (auto one = right; one != end; ++one) verbs += (verbs.empty() ? "" : ",") + in_json(one->verb);
    const std::string sub = right->subresource.empty() ? "" : "/" + right->subresource;
    const std::string names =
        right->name.empty() ? "" : std::format(R"(,"resourceNames":[{}])", in_json(right->name));
    patch += std::format(
        R"({}{{"op":"add","path":"/rules/-","value":{{"apiGroups":[{}],"resources":[{}]{},"verbs":[{}]}}}})",
        patch.empty() ? "" : ",", in_json(right->group), in_json(right->resource + sub), names, verbs);
    right = end;
  }
  return "[" + patch + "]";
}

}  // namespace

std::string lease_namespace(const DoctorSetup& setup, std::string_view user) {
  if (!setup.lease_namespace.empty()) return setup.lease_namespace;
  if (!user.starts_with(kServiceAccount)) return std::string(kLeaseNamespace);
  const std::string_view account = user.substr(kServiceAccount.size());
  return std::string(account.substr(0, account.find(':')));
}

namespace {

NeededRights of_measurements() {
  return {.role = "winnow-node-metrics",
          .role_ns = "",
          .manifest = "node-metrics.yaml",
          .needed_for = "--node-metrics=metrics-server",
          .rights = {{.verb = "list",
                      .group = "metrics.k8s.io",
                      .resource = "nodes",
                      .subresource = "",
                      .ns = "",
                      .name = ""}},
          .optional = true};
}

}  // namespace

std::vector<NeededRights> rights_needed(const LoadedRules& rules, const DoctorSetup& setup,
                                        std::string_view user) {
  std::vector<NeededRights> all{of_the_cache(rules, /*optional=*/false)};
  if (NeededRights more = of_the_cache(rules, /*optional=*/true); !more.rights.empty())
    all.push_back(std::move(more));
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
  if (mends_samples(setup.start) && !setup.nominate)
    all.push_back(
        {.role = "winnow-nominate-refused",
         .role_ns = "",
         .manifest = "rbac.yaml",
         .needed_for = "--nominate-refused",
         .rights =
             {{.verb = "patch",
               .group = "",
               .resource = "pods",
               .subresource = "status",
               .ns = "",
               .name = ""},
              {.verb = "get", .group = "", .resource = "pods", .subresource = "", .ns = "", .name = ""}},
         .optional = true});
  add_nominator(setup, user, all);
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
                               .name = "kubernetes"});
    all.push_back(std::move(slices));
  }
  if (setup.asks_metrics_server) all.push_back(of_measurements());
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
  const bool is_account = user.starts_with(kServiceAccount);
  const std::string subject = is_account
                                  ? "--serviceaccount=" + shell_word(user.substr(kServiceAccount.size()))
                                  : "--user=" + shell_word(user);
  const std::string name = name_of_binding(needed.role, user);
  const std::string command = needed.role_ns.empty()
                                  ? std::format("kubectl create clusterrolebinding {} --clusterrole={} {}",
                                                name, needed.role, subject)
                                  : std::format("kubectl -n {} create rolebinding {} --role={} {}",
                                                shell_word(needed.role_ns), name, needed.role, subject);
  if (needed.manifest.empty()) return command;
  return std::format("{}  # the role stands in manifests/{}", command, needed.manifest);
}

std::string command_to_mend(const NeededRights& needed, const std::vector<Right>& denied,
                            std::string_view user) {
  const std::string grant = command_to_grant(needed, user);
  const bool has_none = denied.size() == needed.rights.size() && !needed.optional;
  if (has_none || needed.manifest.empty()) return grant;
  const std::string kind =
      needed.role_ns.empty() ? "clusterrole" : std::format("-n {} role", shell_word(needed.role_ns));
  return std::format("kubectl patch {} {} --type=json -p={}  # or, if it is not bound to the role: {}", kind,
                     needed.role, shell_word(patch_of(denied)), grant);
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
