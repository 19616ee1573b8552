#include "extender/config/policy_file.h"

#include <algorithm>
#include <format>
#include <span>
#include <utility>

#include "cluster/api/names.h"
#include "cluster/api/resource_name.h"
#include "cluster/text/characters.h"
#include "cluster/text/go_format.h"
#include "cluster/text/json_reader.h"
#include "cluster/text/words.h"

namespace winnow {
namespace {

constexpr std::string_view kPolicyFields[] = {"kind",       "apiVersion",
                                              "predicates", "priorities",
                                              "extenders",  "hardPodAffinitySymmetricWeight",
                                              "metadata",   "alwaysCheckAllPredicates"};
constexpr std::string_view kExtenderFields[] = {
    "urlPrefix",   "filterVerb", "preemptVerb", "prioritizeVerb",   "weight",           "bindVerb",
    "enableHttps", "tlsConfig",  "httpTimeout", "nodeCacheCapable", "managedResources", "ignorable"};
constexpr std::string_view kPredicateFields[] = {"name", "argument"};
constexpr std::string_view kPriorityFields[] = {"name", "weight", "argument"};
/// The second is another spelling of v1.18 to v1.22, with the same fields.
constexpr std::string_view kApiVersions[] = {"v1", "kubescheduler.config.k8s.io/v1"};

/// What somebody meant who gives a file of this kind.
std::string_view next_step(std::string_view kind) {
  struct Step {
    std::string_view kind, text;
  };
  constexpr Step kSteps[] = {
      {"Pod", ": give the file that the container's --config names"},
      {"Deployment", ": give the file that the container's --config names"},
      {"ClusterConfiguration", ": kubeadm's own; give the file that scheduler.extraArgs names as config"},
      {"SchedulerConfiguration", ": AKS's own; give the text of its spec.rawConfig"},
      {"Scheduler", ": OpenShift's own, which names a profile; give a KubeSchedulerConfiguration"},
      {"List", ": give the one object with the rules"},
  };
  const auto found = std::ranges::find(kSteps, kind, &Step::kind);
  return found == std::end(kSteps) ? std::string_view() : found->text;
}

class PolicyReader {
 public:
  std::expected<PolicyFile, std::string> read(const rapidjson::Value& root) {
    const Reader reader(root, nullptr, error_);
    if (root.IsNull())
      return std::unexpected(
          "the file is empty; expected a Policy (apiVersion: v1, kind: Policy) or a "
          "KubeSchedulerConfiguration "
          "(apiVersion: kubescheduler.config.k8s.io/v1)");
    if (!reader.expect_object()) return std::unexpected(error_);
    if (is_strange(root))
      return std::unexpected(
          "no field of a Policy or of a KubeSchedulerConfiguration is there; expected a Policy (apiVersion: "
          "v1, "
          "kind: Policy) or a KubeSchedulerConfiguration (apiVersion: kubescheduler.config.k8s.io/v1)");
    if (!read_kind(reader) || !read_policy(reader)) return std::unexpected(error_);
    return std::move(file_);
  }

 private:
  /// A file of something else, without a kind: upstream takes it for a Policy that says nothing.
  static bool is_strange(const rapidjson::Value& root) {
    return std::ranges::none_of(kPolicyFields, [&](std::string_view field) {
      return root.HasMember(rapidjson::Value(rapidjson::StringRef(field.data(), field.size())));
    });
  }

  bool read_kind(const Reader& policy) {
    std::string kind;
    std::string version;
    if (!policy.read("kind", kind) || !policy.read("apiVersion", version)) return false;
    if (!kind.empty() && kind != "Policy") {
      return policy.complain(std::format("kind: {} is neither Policy nor KubeSchedulerConfiguration{}",
                                         go_quote(kind), next_step(kind)));
    }
    if (!version.empty() && std::ranges::find(kApiVersions, version) == std::end(kApiVersions)) {
      return policy.complain(
          std::format("apiVersion: {} is not v1, a Policy's only version", go_quote(version)));
    }
    if (kind.empty()) file_.notes.emplace_back("kind: absent, taken for Policy");
    if (version.empty()) {
      file_.notes.emplace_back(
          "apiVersion: absent, taken for v1 (v1.16 reads such a file as an empty Policy)");
    }
    return true;
  }

  bool read_policy(const Reader& policy) {
    note_unknown_fields(policy, kPolicyFields, error_, file_.warnings);
    if (policy.has("predicates")) file_.predicates.emplace();
    if (policy.has("priorities")) file_.priorities.emplace();
    return policy.read("hardPodAffinitySymmetricWeight", file_.hard_pod_affinity_symmetric_weight) &&
           policy.read("alwaysCheckAllPredicates", file_.always_check_all_predicates) &&
           policy.for_each_in("predicates", [&](const Reader& element) { return read_predicate(element); }) &&
           policy.for_each_in("priorities", [&](const Reader& element) { return read_priority(element); }) &&
           policy.for_each_in("extenders", [&](const Reader& element) { return read_extender(element); });
  }

  bool read_predicate(const Reader& element) {
    if (!element.expect_object()) return false;
    note_unknown_fields(element, kPredicateFields, error_, file_.warnings);
    PolicyPredicate& predicate = file_.predicates->emplace_back();
    return element.read("name", predicate.name) && element.within("argument", [&](const Reader& argument) {
      return read_argument(argument, RuleKind::kPredicate, predicate.argument, error_, file_.warnings);
    });
  }

  bool read_priority(const Reader& element) {
    if (!element.expect_object()) return false;
    note_unknown_fields(element, kPriorityFields, error_, file_.warnings);
    PolicyPriority& priority = file_.priorities->emplace_back();
    return element.read("name", priority.name) && element.read("weight", priority.weight) &&
           element.within("argument", [&](const Reader& argument) {
             return read_argument(argument, RuleKind::kPriority, priority.argument, error_, file_.warnings);
           });
  }

  /// Reads the extender's address, and the resources that it manages. Case is ignored, as in upstream, which
  /// must read files from v1.7.
  bool read_extender(const Reader& element) {
    std::string& url = file_.extenders.emplace_back();
    return element.for_each_member([&](std::string_view key, const Reader& value) {
      if (value.is_null()) return true;
      if (equal_but_for_case(key, "urlPrefix")) return read_value(value, url);
      if (!equal_but_for_case(key, "managedResources")) return note_unknown_of_extender(key, value);
      return value.for_each_element([&](const Reader& resource) { return read_managed(resource); });
    });
  }

  /// @return true.
  bool note_unknown_of_extender(std::string_view key, const Reader& value) {
    const auto is_key = [&](std::string_view known) { return equal_but_for_case(key, known); };
    if (std::ranges::any_of(kExtenderFields, is_key)) return true;
    value.complain("not a field of a Policy, ignored" + did_you_mean(key, kExtenderFields));
    file_.warnings.push_back(std::exchange(error_, {}));
    return true;
  }

  bool read_managed(const Reader& resource) {
    std::string name;
    bool ignored = false;
    const bool good = resource.for_each_member([&](std::string_view key, const Reader& value) {
      if (value.is_null()) return true;
      if (equal_but_for_case(key, "name")) return read_value(value, name);
      return !equal_but_for_case(key, "ignoredByScheduler") || read_value(value, ignored);
    });
    if (!good) return false;
    if (const std::string wrong = wrong_managed(name); !wrong.empty()) return resource.complain(wrong);
    managed_.push_back(name);
    if (ignored) file_.ignored_resources.push_back(std::move(name));
    return true;
  }

  /// Upstream: ValidatePolicy of pkg/scheduler/api/validation/validation.go v1.16.15. "" if the name is good.
  std::string wrong_managed(const std::string& name) const {
    if (std::string errors = label_key_errors(name); !errors.empty()) return "name: " + errors;
    if (!is_extended_resource(name)) return "name: " + name + " is an invalid extended resource name";
    if (std::ranges::contains(managed_, name))
      return "name: duplicate extender managed resource name " + name;
    return {};
  }

  PolicyFile file_;
  std::vector<std::string> managed_;  ///< By all extenders.
  std::string error_;
};

}  // namespace

std::expected<PolicyFile, std::string> read_policy_file(ConfigDocument& document) {
  if (auto good = document.first(Merges::kKubectl); !good) return std::unexpected(std::move(good).error());
  if (auto good = document.nothing_follows(); !good) return std::unexpected(std::move(good).error());
  return PolicyReader().read(document.root());
}

}  // namespace winnow
