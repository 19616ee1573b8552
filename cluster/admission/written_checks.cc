// What an API server refuses of the parts of a pod that no struct holds: sources of volumes, mounts, probes,
// handlers and environments. They are read from the pod's JSON.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <format>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/admission/field_errors.h"
#include "cluster/admission/pod_errors.h"
#include "cluster/api/names.h"
#include "cluster/text/field_result.h"
#include "cluster/text/go_format.h"
#include "cluster/text/json_reader.h"

namespace winnow {
namespace {

using NameSet = std::set<std::string, std::less<>>;

/// A text; "": it is absent, or no text, which the API server complains of elsewhere.
std::string text_at(const Reader& object, const char* key) {
  return object.value().IsObject() ? std::string(string_at(object.value(), key)) : std::string();
}

/// A whole number; nothing: it is absent, or none.
std::optional<std::int64_t> number_at(const Reader& object, const char* key) {
  if (!object.has(key)) return std::nullopt;
  const rapidjson::Value& value = object.value()[key];
  return value.IsInt64() ? std::optional(value.GetInt64()) : std::nullopt;
}

/// Calls visit(reader of the element, its path) for the objects of a list; null elements count as empty ones.
template <class Visit>
void visit_list(const Reader& object, std::string_view key, const std::string& path, FieldErrors& errors,
                const Visit& visit) {
  if (!object.value().IsObject()) return;
  std::size_t index = 0;
  object.for_each_in(key, [&](const Reader& one) {
    const std::string at = element(child(path, key), index++);
    if (one.value().IsObject()) visit(one, at);
    return !errors.is_full();
  });
}

/// Upstream: validatePathNoBacksteps.
void check_no_backsteps(const std::string& target, const std::string& path, FieldErrors& errors) {
  if (('/' + target + '/').contains("/../")) errors.invalid(path, target, "must not contain '..'");
}

/// Upstream: validateLocalDescendingPath.
void check_descending(const std::string& target, const std::string& path, FieldErrors& errors) {
  if (target.starts_with('/')) errors.invalid(path, target, "must be a relative path");
  check_no_backsteps(target, path, errors);
}

// ---- sources of volumes ----

void check_required(const Reader& source, const char* key, const std::string& path, FieldErrors& errors) {
  if (text_at(source, key).empty()) errors.required(child(path, key));
}

void check_mode(const Reader& source, const std::string& path, FieldErrors& errors) {
  constexpr std::int64_t kMost = 0777;
  const auto mode = number_at(source, "defaultMode");
  if (mode && (*mode < 0 || *mode > kMost))
    errors.invalid(child(path, "defaultMode"), *mode,
                   "must be a number between 0 and 0777 (octal), both inclusive");
}

/// Upstream: validateHostPathVolumeSource.
void check_host_path(const Reader& source, const std::string& path, FieldErrors& errors) {
  constexpr std::array<std::string_view, 8> kTypes{
      "", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"};
  const std::string target = text_at(source, "path"), type = text_at(source, "type");
  if (target.empty()) return errors.required(child(path, "path"));
  check_no_backsteps(target, child(path, "path"), errors);
  if (!std::ranges::contains(kTypes, type)) errors.unsupported(child(path, "type"), type, kTypes);
}

/// Upstream: validateSecretVolumeSource.
void check_secret(const Reader& source, const std::string& path, FieldErrors& errors) {
  check_required(source, "secretName", path, errors);
  check_mode(source, path, errors);
}

/// Upstream: validateConfigMapVolumeSource.
void check_config_map(const Reader& source, const std::string& path, FieldErrors& errors) {
  check_required(source, "name", path, errors);
  check_mode(source, path, errors);
}

/// Upstream: validateNFSVolumeSource.
void check_nfs(const Reader& source, const std::string& path, FieldErrors& errors) {
  check_required(source, "server", path, errors);
  check_required(source, "path", path, errors);
  if (const std::string target = text_at(source, "path"); !target.starts_with('/'))
    errors.invalid(child(path, "path"), target, "must be an absolute path");
}

/// A source of volumes.
struct Source {
  const char* key;
  const char* told;  ///< The field that upstream names where there are two.
  void (*check)(const Reader&, const std::string&, FieldErrors&) = nullptr;
};
/// In upstream's order, with its slips.
constexpr Source kSources[] = {
    {"emptyDir", "emptyDir"},
    {"hostPath", "hostPath", check_host_path},
    {"gitRepo", "gitRepo"},
    {"gcePersistentDisk", "gcePersistentDisk"},
    {"awsElasticBlockStore", "awsElasticBlockStore"},
    {"secret", "secret", check_secret},
    {"nfs", "nfs", check_nfs},
    {"iscsi", "iscsi"},
    {"glusterfs", "glusterfs"},
    {"flocker", "flocker"},
    {"persistentVolumeClaim", "persistentVolumeClaim"},  // pod_errors() looks at its name.
    {"rbd", "rbd"},
    {"cinder", "cinder"},
    {"cephfs", "cephFS"},
    {"quobyte", "quobyte"},
    {"downwardAPI", "downwarAPI"},
    {"fc", "fc"},
    {"flexVolume", "flexVolume"},
    {"configMap", "configMap", check_config_map},
    {"azureFile", "azureFile"},
    {"vsphereVolume", "vsphereVolume"},
    {"photonPersistentDisk", "photonPersistentDisk"},
    {"portworxVolume", "portworxVolume"},
    {"azureDisk", "azureDisk"},
    {"storageos", "storageos"},
    {"projected", "projected"},
    {"scaleIO", "scaleIO"},
    {"csi", "csi"},
    {"ephemeral", "ephemeral"},
    {"image", "image"},
};

/// Upstream: validateVolumeSource. A volume without any source is an emptyDir: SetDefaults_Volume.
void check_source(const Reader& volume, const std::string& path, FieldErrors& errors) {
  bool found = false;
  for (const Source& source : kSources) {
    if (!volume.has(source.key)) continue;
    if (found) {
      errors.forbidden(child(path, source.told), "may not specify more than 1 volume type");
    } else if (source.check != nullptr) {
      volume.within(source.key, [&](const Reader& inner) {
        source.check(inner, child(path, source.key), errors);
        return true;
      });
    }
    found = true;
  }
}

/// @return the names of the volumes that are good.
/// Upstream: ValidateVolumes. Names and claims are pod_errors()' matter, but a bad one makes a bad volume.
NameSet check_sources(const Reader& spec, const std::string& path, FieldErrors& errors) {
  NameSet good;
  visit_list(spec, "volumes", path, errors, [&](const Reader& volume, const std::string& at) {
    const std::size_t before = errors.count();
    check_source(volume, at, errors);
    const std::string name = text_at(volume, "name");
    const bool lacks_claim = volume.has("persistentVolumeClaim") &&
                             volume.value()["persistentVolumeClaim"].IsObject() &&
                             string_at(volume.value()["persistentVolumeClaim"], "claimName").empty();
    if (errors.count() == before && !lacks_claim && namespace_name_errors(name).empty()) good.insert(name);
  });
  return good;
}

// ---- mounts ----

/// Upstream: ValidateVolumeMounts. Paths of subPath lack the index there.
void check_mounts(const Reader& container, const NameSet& volumes, const std::string& path,
                  FieldErrors& errors) {
  NameSet paths, devices, device_paths;
  visit_list(container, "volumeDevices", path, errors, [&](const Reader& device, const std::string&) {
    devices.insert(text_at(device, "name"));
    device_paths.insert(text_at(device, "devicePath"));
  });
  visit_list(container, "volumeMounts", path, errors, [&](const Reader& mount, const std::string& at) {
    const std::string name = text_at(mount, "name"), target = text_at(mount, "mountPath");
    const std::string sub = text_at(mount, "subPath"), expression = text_at(mount, "subPathExpr");
    if (name.empty()) errors.required(child(at, "name"));
    if (!volumes.contains(name)) errors.not_found(child(at, "name"), name);
    if (target.empty()) errors.required(child(at, "mountPath"));
    if (!paths.insert(target).second) errors.invalid(child(at, "mountPath"), target, "must be unique");
    if (devices.contains(name))
      errors.invalid(child(at, "name"), name, "must not already exist in volumeDevices");
    if (device_paths.contains(target))
      errors.invalid(child(at, "mountPath"), target, "must not already exist as a path in volumeDevices");
    const std::string list = child(path, "volumeMounts");
    if (!sub.empty()) check_descending(sub, child(list, "subPath"), errors);
    if (expression.empty()) return;
    if (!sub.empty())
      errors.invalid(child(at, "subPathExpr"), expression, "subPathExpr and subPath are mutually exclusive");
    check_descending(expression, child(list, "subPathExpr"), errors);
  });
}

// ---- environments ----

/// Upstream: apimachinery IsRelaxedEnvVarName v0.37.0.
void check_env_name(const std::string& name, const std::string& path, FieldErrors& errors) {
  const auto is_bad = [](char c) { return c < ' ' || c > '~' || c == '='; };
  if (std::ranges::any_of(name, is_bad))
    errors.invalid(path, name,
                   "a valid environment variable name must consist only of printable ASCII characters other "
                   "than '='");
}

/// The part before a subscript, "metadata.labels" of "metadata.labels['a']", and the subscript.
/// Upstream: fieldpath.SplitMaybeSubscriptedPath.
std::optional<std::pair<std::string, std::string>> subscripted(std::string_view field) {
  if (!field.ends_with("']")) return std::nullopt;
  field.remove_suffix(2);
  const std::size_t open = field.find("['");
  if (open == std::string_view::npos || open == 0) return std::nullopt;
  return std::pair(std::string(field.substr(0, open)), std::string(field.substr(open + 2)));
}

constexpr std::array<std::string_view, 9> kEnvFields{
    "metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName",
    "status.hostIP", "status.hostIPs",     "status.podIP", "status.podIPs"};
/// Those that a pod has, and an environment does not take.
constexpr std::array<std::string_view, 5> kOtherFields{
    "metadata.annotations", "metadata.labels", "spec.restartPolicy", "spec.schedulerName", "status.phase"};

/// Upstream: validateObjectFieldSelector, pkg/apis/core/pods/helpers.go ConvertDownwardAPIFieldLabel.
void check_field_ref(const Reader& ref, const std::string& path, FieldErrors& errors) {
  const std::string field = text_at(ref, "fieldPath"), at = child(path, "fieldPath");
  const std::string version = text_at(ref, "apiVersion");
  if (field.empty()) return errors.required(at);
  if (!version.empty() && version != "v1")
    return errors.invalid(at, field, "error converting fieldPath: unsupported pod version: " + version);
  if (const auto parts = subscripted(field)) {
    const auto& [whole, key] = *parts;
    if (whole != "metadata.annotations" && whole != "metadata.labels")
      return errors.invalid(at, field,
                            "error converting fieldPath: field label does not support subscript: " + field);
    std::string name = key;
    if (whole == "metadata.annotations")
      std::ranges::transform(name, name.begin(),
                             [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    if (const std::string wrong = label_key_errors(name, Generation::kToday); !wrong.empty())
      errors.invalid(path, name, wrong);
    return;
  }
  if (std::ranges::contains(kEnvFields, field) || field == "spec.host") return;
  if (std::ranges::contains(kOtherFields, field)) return errors.unsupported(at, field, kEnvFields);
  errors.invalid(at, field, "error converting fieldPath: field label not supported: " + field);
}

/// Upstream: validateConfigMapKeySelector, validateSecretKeySelector.
void check_key_ref(const Reader& ref, const std::string& path, FieldErrors& errors) {
  const std::string name = text_at(ref, "name");
  if (const std::string wrong = object_name_errors(name); !wrong.empty())
    errors.invalid(child(path, "name"), name, wrong);
  check_required(ref, "key", path, errors);
}

/// Upstream: validateEnvVarValueFrom.
void check_value_from(const Reader& from, bool has_value, const std::string& path, FieldErrors& errors) {
  int sources = 0;
  const auto within = [&](const char* key, auto check) {
    sources += from.has(key) ? 1 : 0;
    from.within(key, [&](const Reader& ref) { return check(ref, child(path, key), errors), true; });
  };
  const auto nothing = [](const Reader&, const std::string&, FieldErrors&) {};
  within("fieldRef", check_field_ref);
  within("resourceFieldRef", nothing);
  within("configMapKeyRef", check_key_ref);
  within("secretKeyRef", check_key_ref);
  within("fileKeyRef", nothing);
  if (sources == 0)
    errors.invalid(
        path, "",
        "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or "
        "`fileKeyRef`");
  else if (has_value)
    errors.invalid(path, "", "may not be specified when `value` is not empty");
  else if (sources > 1)
    errors.invalid(path, "", "may not have more than one field specified at a time");
}

/// Upstream: ValidateEnv, ValidateEnvFrom. Errors of the latter name the list.
void check_env(const Reader& container, const std::string& path, FieldErrors& errors) {
  visit_list(container, "env", path, errors, [&](const Reader& one, const std::string& at) {
    const std::string name = text_at(one, "name");
    if (name.empty())
      errors.required(child(at, "name"));
    else
      check_env_name(name, child(at, "name"), errors);
    one.within("valueFrom", [&](const Reader& from) {
      check_value_from(from, !text_at(one, "value").empty(), child(at, "valueFrom"), errors);
      return true;
    });
  });
  visit_list(container, "envFrom", path, errors, [&](const Reader& one, const std::string& at) {
    check_env_name(text_at(one, "prefix"), child(at, "prefix"), errors);
    for (const char* const key : {"configMapRef", "secretRef"})
      one.within(key, [&](const Reader& ref) {
        const std::string name = text_at(ref, "name");
        if (const std::string wrong = name.empty() ? "" : object_name_errors(name); !wrong.empty())
          errors.invalid(child(child(at, key), "name"), name, wrong);
        else if (name.empty())
          errors.required(child(child(at, key), "name"));
        return true;
      });
    const int sources = (one.has("configMapRef") ? 1 : 0) + (one.has("secretRef") ? 1 : 0);
    if (sources == 0)
      errors.invalid(child(path, "envFrom"), "", "must specify one of: `configMapRef` or `secretRef`");
    else if (sources > 1)
      errors.invalid(child(path, "envFrom"), "", "may not have more than one field specified at a time");
  });
}

// ---- handlers and probes ----

/// Upstream: apimachinery IsValidPortName v0.37.0.
void check_port_name(const std::string& name, const std::string& path, FieldErrors& errors) {
  constexpr std::size_t kLongest = 15;
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  const auto is_good = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '-'; };
  if (name.size() > kLongest) errors.invalid(path, name, "must be no more than 15 characters");
  if (name.empty() || !std::ranges::all_of(name, is_good))
    errors.invalid(path, name, "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  if (std::ranges::none_of(name, is_letter))
    errors.invalid(path, name, "must contain at least one letter (a-z)");
  if (name.contains("--")) errors.invalid(path, name, "must not contain consecutive hyphens");
  if (name.starts_with('-') || name.ends_with('-'))
    errors.invalid(path, name, "must not begin or end with a hyphen");
}

/// A number or a name. Upstream: ValidatePortNumOrName.
void check_port(const Reader& action, const std::string& path, FieldErrors& errors) {
  constexpr std::int64_t kLast = 65535;
  const std::string at = child(path, "port");
  if (action.has("port") && action.value()["port"].IsString())
    return check_port_name(text_at(action, "port"), at, errors);
  if (const std::int64_t port = number_at(action, "port").value_or(0); port < 1 || port > kLast)
    errors.invalid(at, port, "must be between 1 and 65535, inclusive");
}

void check_exec(const Reader& action, const std::string& path, FieldErrors& errors) {
  const auto has_command = [&] {
    if (!action.has("command")) return false;
    const rapidjson::Value& command = action.value()["command"];
    return !command.IsArray() || !command.Empty();
  };
  if (!has_command()) errors.required(child(path, "command"));
}

/// The path is "/" and the scheme HTTP by default. Upstream: validateHTTPGetAction.
void check_http_get(const Reader& action, const std::string& path, FieldErrors& errors) {
  constexpr std::array<std::string_view, 2> kSchemes{"HTTP", "HTTPS"};
  check_port(action, path, errors);
  if (const std::string scheme = text_at(action, "scheme");
      !scheme.empty() && !std::ranges::contains(kSchemes, scheme))
    errors.unsupported(child(path, "scheme"), scheme, kSchemes);
}

/// Of lifecycle handlers. @param grace  the pod's terminationGracePeriodSeconds.
void check_sleep(const Reader& action, std::int64_t grace, const std::string& path, FieldErrors& errors) {
  if (const std::int64_t seconds = number_at(action, "seconds").value_or(0); seconds < 0 || seconds > grace)
    errors.invalid(
        path, seconds,
        std::format("must be non-negative and less than terminationGracePeriodSeconds ({})", grace));
}

/// Upstream: validateHandler. @param last  "grpc" of probes, "sleep" of a lifecycle.
void check_handler(const Reader& handler, const char* last, std::int64_t grace, const std::string& path,
                   FieldErrors& errors) {
  bool found = false;
  for (const std::string key : {"exec", "httpGet", "tcpSocket", last}) {
    if (!handler.has(key)) continue;
    const std::string at = child(path, key);
    if (found) {
      errors.forbidden(at, "may not specify more than 1 handler type");
      continue;
    }
    found = true;
    handler.within(key, [&](const Reader& action) {
      if (key == "exec")
        check_exec(action, at, errors);
      else if (key == "httpGet")
        check_http_get(action, at, errors);
      else if (key == "sleep")
        check_sleep(action, grace, at, errors);
      else
        check_port(action, at, errors);
      return true;
    });
  }
  if (!found) errors.required(path, "must specify a handler type");
}

/// Upstream: validateProbe, and those of each probe. Zeros have defaults.
void check_probe(const Reader& probe, bool is_readiness, std::int64_t grace, const std::string& path,
                 FieldErrors& errors) {
  check_handler(probe, "grpc", grace, path, errors);
  for (const char* const key :
       {"initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold"})
    if (const auto number = number_at(probe, key); number && *number < 0)
      errors.invalid(child(path, key), *number, "must be greater than or equal to 0");
  const std::string own_grace = child(path, "terminationGracePeriodSeconds");
  const auto given = number_at(probe, "terminationGracePeriodSeconds");
  if (given && *given <= 0) errors.invalid(own_grace, *given, "must be greater than 0");
  if (is_readiness) {
    if (given) errors.invalid(own_grace, *given, "must not be set for readinessProbes");
    return;
  }
  if (const std::int64_t successes = number_at(probe, "successThreshold").value_or(0);
      successes != 0 && successes != 1)
    errors.invalid(child(path, "successThreshold"), successes, "must be 1");
}

void check_life(const Reader& container, std::int64_t grace, const std::string& path, FieldErrors& errors) {
  container.within("lifecycle", [&](const Reader& lifecycle) {
    for (const char* const key : {"postStart", "preStop"})
      lifecycle.within(key, [&](const Reader& handler) {
        check_handler(handler, "sleep", grace, child(child(path, "lifecycle"), key), errors);
        return true;
      });
    return true;
  });
  for (const char* const key : {"livenessProbe", "readinessProbe", "startupProbe"})
    container.within(key, [&](const Reader& probe) {
      check_probe(probe, std::string_view(key) == "readinessProbe", grace, child(path, key), errors);
      return true;
    });
}

/// Upstream: validateContainers, validateInitContainers, validateContainerCommon.
void check_written_container(const Reader& container, bool is_init, const NameSet& volumes,
                             std::int64_t grace, const std::string& path, FieldErrors& errors) {
  check_env(container, path, errors);
  check_mounts(container, volumes, path, errors);
  if (!is_init || text_at(container, "restartPolicy") == "Always")
    return check_life(container, grace, path, errors);
  for (const char* const key : {"lifecycle", "livenessProbe", "readinessProbe", "startupProbe"})
    if (container.has(key))
      errors.forbidden(child(path, key), "may not be set for init containers without restartPolicy=Always");
}

}  // namespace

std::vector<FieldError> written_errors(const Reader& pod, std::span<const std::string> more_volumes) {
  constexpr std::int64_t kGrace = 30;  // Upstream: SetDefaults_PodSpec.
  FieldErrors errors;
  if (!pod.value().IsObject()) return {};
  std::string unused;
  Reader(pod.value(), nullptr, unused).within("spec", [&](const Reader& spec) {
    const std::string path = "spec";
    NameSet volumes = check_sources(spec, path, errors);
    volumes.insert(more_volumes.begin(), more_volumes.end());
    const std::int64_t grace = number_at(spec, "terminationGracePeriodSeconds").value_or(kGrace);
    for (const bool is_init : {false, true})
      visit_list(spec, is_init ? "initContainers" : "containers", path, errors,
                 [&](const Reader& container, const std::string& at) {
                   check_written_container(container, is_init, volumes, grace, at, errors);
                 });
    return true;
  });
  return errors.take();
}

}  // namespace winnow
