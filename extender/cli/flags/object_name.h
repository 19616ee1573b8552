// Names of pods as every command takes them: NAME, NAMESPACE/NAME or pod/NAME.
#pragma once

#include <expected>
#include <string>
#include <string_view>

namespace winnow {

/// An object's name.
struct ObjectName {
  std::string ns;  ///< "": it has none, or none was said.
  std::string name;

  std::string full() const { return ns + '/' + name; }
  bool operator==(const ObjectName&) const = default;
};

/// Reads the name of a pod. "pod/", "pods/" and "po/" say that it is a pod, as for kubectl, and no namespace.
/// @param ns  of -n; "": it was not given. A name that has another namespace is an error.
/// @return the name, whose namespace is empty where neither says one; or an error of one line.
std::expected<ObjectName, std::string> parse_pod_name(std::string_view text, std::string_view ns);

}  // namespace winnow
