#include "extender/replay/renaming.h"

#include <rapidjson/document.h>

#include <algorithm>
#include <array>
#include <format>
#include <vector>

#include "cluster/api/quantity.h"
#include "cluster/text/ascii.h"
#include "cluster/text/json/document.h"
#include "cluster/text/json/json_reader.h"
#include "cluster/text/json/json_string.h"
#include "cluster/text/json/json_write.h"
#include "cluster/text/rfc3339.h"

namespace winnow {
namespace {

using rapidjson::Value;

template <std::size_t kSize>
using Words = std::array<std::string_view, kSize>;

/// Fields that no rule reads, or that are free text.
constexpr auto kLeftOut = std::to_array<std::string_view>({"managedFields",
                                                           "message",
                                                           "env",
                                                           "envFrom",
                                                           "command",
                                                           "args",
                                                           "livenessProbe",
                                                           "readinessProbe",
                                                           "startupProbe",
                                                           "lifecycle",
                                                           "volumeMounts",
                                                           "volumeDevices",
                                                           "terminationMessagePath",
                                                           "terminationMessagePolicy",
                                                           "securityContext",
                                                           "selfLink",
                                                           "generateName",
                                                           "finalizers",
                                                           "hostAliases",
                                                           "dnsConfig",
                                                           "podIP",
                                                           "podIPs",
                                                           "hostIPs",
                                                           "addresses",
                                                           "nodeInfo",
                                                           "daemonEndpoints",
                                                           "config",
                                                           "imagePullSecrets",
                                                           "template",
                                                           "volumeClaimTemplates",
                                                           "data",
                                                           "stringData",
                                                           "parameters",
                                                           "mountOptions",
                                                           "volumeAttributes",
                                                           "attributes",
                                                           "externalIPs",
                                                           "loadBalancer",
                                                           "clusterIP",
                                                           "clusterIPs",
                                                           "podCIDR",
                                                           "podCIDRs",
                                                           "state",
                                                           "lastState",
                                                           "containerID",
                                                           "runtimeHandlers",
                                                           "features",
                                                           "hostUsers",
                                                           "shareProcessNamespace",
                                                           "serviceAccount",
                                                           "automountServiceAccountToken"});

/// Fields whose texts are words of the API.
constexpr auto kWordFields = std::to_array<std::string_view>({"kind",
                                                              "apiVersion",
                                                              "operator",
                                                              "effect",
                                                              "phase",
                                                              "type",
                                                              "status",
                                                              "whenUnsatisfiable",
                                                              "protocol",
                                                              "restartPolicy",
                                                              "preemptionPolicy",
                                                              "volumeBindingMode",
                                                              "accessModes",
                                                              "volumeMode",
                                                              "reclaimPolicy",
                                                              "persistentVolumeReclaimPolicy",
                                                              "unhealthyPodEvictionPolicy",
                                                              "nodeAffinityPolicy",
                                                              "nodeTaintsPolicy",
                                                              "dnsPolicy",
                                                              "qosClass",
                                                              "resize",
                                                              "imagePullPolicy",
                                                              "resourceVersion",
                                                              "fsType",
                                                              "declaredFeatures"});

/// Objects whose keys are keys of labels, and their values labels.
constexpr auto kLabelMaps = std::to_array<std::string_view>({"labels", "matchLabels", "nodeSelector"});

/// Objects whose keys are resources, and their values amounts.
constexpr auto kAmountMaps = std::to_array<std::string_view>(
    {"requests", "limits", "capacity", "allocatable", "allocatedResources", "overhead", "hard", "used",
     "default", "defaultRequest", "max", "min", "maxLimitRequestRatio"});

/// Fields whose texts are keys of labels.
constexpr auto kKeyFields = std::to_array<std::string_view>(
    {"key", "topologyKey", "topologyKeys", "matchLabelKeys", "mismatchLabelKeys"});

/// Objects whose keys are names of nodes.
constexpr auto kNodeMaps = std::to_array<std::string_view>({"nodeNameToVictims", "nodeNameToMetaVictims"});

/// Annotations that are read. The others are left out.
constexpr auto kAnnotations = std::to_array<std::string_view>(
    {"storage.alpha.kubernetes.io/migrated-plugins", "volume.beta.kubernetes.io/storage-class",
     "volume.kubernetes.io/selected-node", "pv.kubernetes.io/bind-completed",
     "pv.kubernetes.io/bound-by-controller", "volume.kubernetes.io/storage-provisioner",
     "volume.beta.kubernetes.io/storage-provisioner"});
constexpr std::string_view kPreferAvoidPods = "scheduler.alpha.kubernetes.io/preferAvoidPods";

/// Texts that are the same everywhere.
constexpr auto kWords = std::to_array<std::string_view>({"",
                                                         "default",
                                                         "kube-system",
                                                         "kube-public",
                                                         "kube-node-lease",
                                                         "default-scheduler",
                                                         "linux",
                                                         "windows",
                                                         "amd64",
                                                         "arm64",
                                                         "arm",
                                                         "386",
                                                         "ppc64le",
                                                         "s390x",
                                                         "riscv64",
                                                         "system-node-critical",
                                                         "system-cluster-critical",
                                                         "yes",
                                                         "true",
                                                         "false",
                                                         "count",
                                                         "metadata.name",
                                                         "0.0.0.0",
                                                         "127.0.0.1",
                                                         "::",
                                                         "Unschedulable",
                                                         "SchedulerError",
                                                         "SchedulingGated",
                                                         "cpu",
                                                         "memory",
                                                         "pods",
                                                         "storage",
                                                         "ephemeral-storage",
                                                         "kubernetes"});

/// Names of keys in the domains of Kubernetes. A node's role, say, may be any word.
constexpr auto kKeyNames = std::to_array<std::string_view>({"zone",
                                                            "region",
                                                            "hostname",
                                                            "os",
                                                            "arch",
                                                            "instance-type",
                                                            "control-plane",
                                                            "master",
                                                            "worker",
                                                            "not-ready",
                                                            "unreachable",
                                                            "memory-pressure",
                                                            "disk-pressure",
                                                            "pid-pressure",
                                                            "network-unavailable",
                                                            "unschedulable",
                                                            "out-of-service",
                                                            "uninitialized",
                                                            "windows-build",
                                                            "gce-pd",
                                                            "aws-ebs",
                                                            "azure-disk",
                                                            "azure-file",
                                                            "cinder",
                                                            "vsphere-volume",
                                                            "portworx-volume",
                                                            "no-provisioner",
                                                            "pod-template-hash",
                                                            "batch-cpu",
                                                            "batch-memory",
                                                            "preferAvoidPods",
                                                            "name",
                                                            "instance",
                                                            "component",
                                                            "part-of",
                                                            "managed-by",
                                                            "version",
                                                            "mirror",
                                                            "source",
                                                            "metadata.name"});

/// Drivers that the migration of volumes knows.
constexpr auto kDriverEnds =
    std::to_array<std::string_view>({"csi.storage.gke.io", "csi.aws.com", "csi.azure.com",
                                     "csi.openstack.org", "csi.vsphere.vmware.com", "csi.portworx.com"});

template <std::size_t kSize>
bool is_one_of(const Words<kSize>& words, std::string_view text) {
  return std::ranges::contains(words, text);
}
/// Go's decoder takes keys in any case.
template <std::size_t kSize>
bool names_one_of(const Words<kSize>& words, std::string_view key) {
  return std::ranges::any_of(words, [&](std::string_view word) { return equal_but_for_case(word, key); });
}

bool is_number(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && std::ranges::all_of(text, is_digit);
}

bool is_kubernetes_domain(std::string_view domain) {
  return domain == "kubernetes.io" || domain.ends_with(".kubernetes.io") || domain == "k8s.io" ||
         domain.ends_with(".k8s.io");
}

/// Whether it is a random UID: 8-4-4-4-12 hexadecimal digits.
bool is_uuid(std::string_view text) {
  constexpr std::string_view kForm = "00000000-0000-0000-0000-000000000000";
  return std::ranges::equal(text, kForm, [](char c, char form) {
    return form == '-' ? c == '-' : is_digit(c) || (lower(c) >= 'a' && lower(c) <= 'f');
  });
}

/// Whether a field's name can be one of the API.
bool is_field_name(std::string_view key) { return !key.empty() && std::ranges::all_of(key, is_alphanumeric); }

bool is_resource(std::string_view name) {
  return name.starts_with("hugepages-") || name.starts_with("attachable-volumes-") ||
         name.starts_with("requests.") || name.starts_with("limits.");
}

/// The walk over one object.
class Rewriting {
 public:
  explicit Rewriting(Renaming& names) : names_(names) {}

  /// @param field  the name of the field that has the value, or that has the list with it.
  void value(std::string& out, const Value& value, std::string_view field);

 private:
  void members(std::string& out, const Value& object);
  void labels(std::string& out, const Value& object);
  void amounts(std::string& out, const Value& object);
  void annotations(std::string& out, const Value& object);
  void by_node(std::string& out, const Value& object);
  void text(std::string& out, std::string_view text, std::string_view field);
  bool special(std::string& out, const Value& value, std::string_view field);

  Renaming& names_;
};

/// Appends a member's key and the colon.
void begin_member(std::string& out, std::string_view key) {
  if (!out.ends_with('{')) out += ',';
  append_quoted(out, key);
  out += ':';
}

bool has_only_texts(const Value& object) {
  return std::ranges::all_of(object.GetObject(), [](const auto& member) { return member.value.IsString(); });
}

void Rewriting::members(std::string& out, const Value& object) {
  out += '{';
  for (const auto& member : object.GetObject()) {
    const std::string_view key = string_of(member.name);
    if (names_one_of(kLeftOut, key) || !is_field_name(key)) continue;
    begin_member(out, key);
    value(out, member.value, key);
  }
  out += '}';
}

void Rewriting::labels(std::string& out, const Value& object) {
  out += '{';
  for (const auto& member : object.GetObject()) {
    begin_member(out, names_.key(string_of(member.name)));
    value(out, member.value, "labels");
  }
  out += '}';
}

void Rewriting::amounts(std::string& out, const Value& object) {
  out += '{';
  for (const auto& member : object.GetObject()) {
    const bool is_amount =
        member.value.IsNumber() || (member.value.IsString() && Quantity::parse(string_of(member.value)));
    if (!is_amount && !member.value.IsObject()) continue;
    begin_member(out, names_.key(string_of(member.name)));
    if (is_amount)
      append_value(out, member.value);
    else
      amounts(out, member.value);
  }
  out += '}';
}

void Rewriting::annotations(std::string& out, const Value& object) {
  out += '{';
  for (const auto& member : object.GetObject()) {
    const std::string_view key = string_of(member.name);
    if (!member.value.IsString()) continue;
    if (is_one_of(kAnnotations, key)) {
      begin_member(out, key);
      text(out, string_of(member.value), "annotations");
    } else if (key == kPreferAvoidPods) {
      begin_member(out, key);
      append_quoted(out, names_.object(string_of(member.value)));
    }
  }
  out += '}';
}

void Rewriting::by_node(std::string& out, const Value& object) {
  out += '{';
  for (const auto& member : object.GetObject()) {
    begin_member(out, names_.name(string_of(member.name)));
    value(out, member.value, "");
  }
  out += '}';
}

/// @return whether the field is one whose objects have keys of their own.
bool Rewriting::special(std::string& out, const Value& object, std::string_view field) {
  if (names_one_of(kLabelMaps, field) || (field == "selector" && has_only_texts(object)))
    return labels(out, object), true;
  if (names_one_of(kAmountMaps, field)) return amounts(out, object), true;
  if (equal_but_for_case(field, "annotations")) return annotations(out, object), true;
  if (names_one_of(kNodeMaps, field)) return by_node(out, object), true;
  return false;
}

void Rewriting::value(std::string& out, const Value& value, std::string_view field) {
  if (value.IsObject()) {
    if (!special(out, value, field)) members(out, value);
  } else if (value.IsArray()) {
    out += '[';
    const char* joint = "";
    for (const auto& element : value.GetArray()) {
      out += joint;
      this->value(out, element, field);
      joint = ",";
    }
    out += ']';
  } else if (value.IsString()) {
    text(out, string_of(value), field);
  } else {
    append_value(out, value);
  }
}

void Rewriting::text(std::string& out, std::string_view text, std::string_view field) {
  const auto is = [&](std::string_view name) { return equal_but_for_case(field, name); };
  if (names_one_of(kWordFields, field) || parse_rfc3339(text))
    append_quoted(out, text);
  else if (names_one_of(kAmountMaps, field) && Quantity::parse(text))
    append_quoted(out, text);  // The capacity of a CSIStorageCapacity.
  else if (names_one_of(kKeyFields, field))
    append_quoted(out, names_.key(text));
  else if (is("image") || is("imageID") || is("names"))
    append_quoted(out, names_.image(text));
  else if (is("uid") || is("uids"))
    append_quoted(out, names_.uid(text));
  else
    append_quoted(out, names_.name(text));
}

/// The text with each part between the separators replaced by what `map` makes of it.
template <class Map>
std::string by_parts(std::string_view text, std::string_view separator, const Map& map) {
  std::string out;
  for (std::size_t begin = 0;;) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    out += map(text.substr(begin, end - begin));
    if (end == text.size()) return out;
    out += separator;
    begin = end + separator.size();
  }
}

}  // namespace

std::string Renaming::name(std::string_view text) {
  if (is_one_of(kWords, text) || is_number(text)) return std::string(text);
  // The zones of one volume, and the plug-ins of a node. Then a plug-in, or a name with its namespace.
  if (!text.contains(',') && text.contains('/') && is_kubernetes_domain(text.substr(0, text.find('/'))))
    return key(text);
  for (const std::string_view separator : {"__", ",", "/"})
    if (text.contains(separator))
      return by_parts(text, separator, [&](std::string_view part) { return name(part); });
  if (std::ranges::any_of(kDriverEnds, [&](std::string_view end) { return text.ends_with(end); }))
    return std::string(text);
  if (!numbered_) {
    numbers_.try_emplace(std::string(text), 0);
    return std::string(text);
  }
  return known(text);
}

std::string Renaming::known(std::string_view text) const {
  const auto found = numbers_.find(text);
  if (found == numbers_.end() || !numbered_) return std::string(text);
  const std::size_t digits = std::to_string(numbers_.size()).size();
  return std::format("x{:0{}}", found->second, digits);
}

std::string Renaming::key(std::string_view text) {
  if (is_one_of(kWords, text) || is_resource(text)) return std::string(text);
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return name(text);
  const std::string_view domain = text.substr(0, slash);
  const std::string_view rest = text.substr(slash + 1);
  if (!is_kubernetes_domain(domain)) return name(domain) + '/' + name(rest);
  const bool is_known = is_one_of(kKeyNames, rest) || is_one_of(kWords, rest);
  return std::string(domain) + '/' + (is_known ? std::string(rest) : name(rest));
}

std::string Renaming::image(std::string_view text) {
  const std::size_t at = text.find('@');
  if (at != std::string_view::npos) {
    const std::string_view digest = text.substr(at + 1);
    const std::size_t colon = std::min(digest.find(':'), digest.size());
    const std::string sum = colon < digest.size() ? ":" + name(digest.substr(colon + 1)) : "";
    return image(text.substr(0, at)) + "@" + std::string(digest.substr(0, colon)) + sum;
  }
  const std::size_t slash = text.rfind('/');
  const std::size_t colon = text.find(':', slash == std::string_view::npos ? 0 : slash);
  if (colon == std::string_view::npos) return name(text);
  const std::string_view tag = text.substr(colon + 1);
  return name(text.substr(0, colon)) + ":" + (tag == "latest" ? "latest" : name(tag));
}

std::string Renaming::uid(std::string_view text) { return is_uuid(text) ? std::string(text) : name(text); }

void Renaming::number_all() {
  std::size_t next = 0;
  for (auto& [text, number] : numbers_) number = next++;
  numbered_ = true;
}

std::string Renaming::object(std::string_view json) {
  if (!json.starts_with('{')) return "";
  const auto document = load_document(std::string(json));
  if (!document || !document->root().IsObject()) return "";
  std::string out;
  Rewriting(*this).value(out, document->root(), "");
  return out;
}

namespace {

/// A configuration's value, with the names that the cluster has. Where other servers are is left out.
/// @param field  the name of the field that has the value.
void rewrite_config(std::string& out, const Value& value, std::string_view field, Renaming& names) {
  if (value.IsObject()) {
    out += '{';
    for (const auto& member : value.GetObject()) {
      const std::string_view key = string_of(member.name);
      if (equal_but_for_case(key, "clientConnection") || equal_but_for_case(key, "tlsConfig")) continue;
      begin_member(out, key);
      if (equal_but_for_case(key, "urlPrefix"))
        append_quoted(out, "http://extender");
      else
        rewrite_config(out, member.value, key, names);
    }
    out += '}';
  } else if (value.IsArray()) {
    out += '[';
    const char* joint = "";
    for (const auto& element : value.GetArray()) {
      out += joint;
      rewrite_config(out, element, field, names);
      joint = ",";
    }
    out += ']';
  } else if (value.IsString()) {
    const std::string_view text = string_of(value);
    // Rules and their words begin with a capital letter. A key with a domain tells that it is one.
    const bool is_word =
        field == "apiVersion" || field == "kind" || (!text.empty() && is_upper(text.front()));
    const bool is_key = text.contains('/') && !text.starts_with('/');
    append_quoted(out, is_word ? std::string(text) : is_key ? names.key(text) : names.known(text));
  } else {
    append_value(out, value);
  }
}

}  // namespace

std::string Renaming::config(std::string_view text) {
  if (text.empty()) return "";
  const auto document = load_document(std::string(text));
  if (!document) return "";
  std::string out;
  rewrite_config(out, document->root(), "", *this);
  return out;
}

}  // namespace winnow
