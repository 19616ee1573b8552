// The kind and the API group of an object in a file.
#pragma once

#include <string>

#include "cluster/api/kinds.h"

namespace winnow {

/// The group matters: serving.knative.dev has a Service too.
struct TypeMeta {
  std::string kind;
  std::string group;
  std::string version;     ///< "v1beta1"
  bool has_group = false;  ///< Items of raw lists have neither; then any group matches.

  /// Whether the object is of the kind, in any version.
  bool is(const KindInfo& info) const;
  /// Whether the object is of the version that Winnow reads, or of an older one that is not stable. Those
  /// have the same fields.
  bool is_known_version(const KindInfo& info) const;
  /// "Ingress.networking.k8s.io", "ConfigMap".
  std::string text() const { return group.empty() ? kind : kind + "." + group; }
};

/// The text `apiVersion: "v9" is none of Pod's; expected v1`.
std::string wrong_version(const TypeMeta& type, const KindInfo& info);

}  // namespace winnow
