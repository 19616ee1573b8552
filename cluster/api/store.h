// A store: the objects of one kind by namespace and name.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "cluster/api/meta.h"

namespace winnow {

/// The key of an object: "NAMESPACE/NAME", or NAME if it has no namespace.
/// Upstream: client-go's tools/cache/store.go MetaNamespaceKeyFunc v0.37.0.
inline std::string key_of(std::string_view ns, std::string_view name) {
  return ns.empty() ? std::string(name) : std::string(ns).append(1, '/').append(name);
}
inline std::string key_of(const ObjectMeta& meta) { return key_of(meta.namespace_, meta.name); }

/// The objects of one kind by key_of(), in order of key.
template <class Object>
using Store = std::map<std::string, Object, std::less<>>;

}  // namespace winnow
