#include "extender/cli/flags/object_name.h"

#include <format>

#include "cluster/text/go_format.h"

namespace winnow {

std::expected<ObjectName, std::string> parse_pod_name(std::string_view text, std::string_view ns) {
  ObjectName pod{.ns = std::string(ns), .name = std::string(text)};
  if (const std::size_t slash = text.find('/'); slash != std::string_view::npos) {
    const std::string_view before = text.substr(0, slash);
    pod.name = text.substr(slash + 1);
    const bool is_kind = before == "pod" || before == "pods" || before == "po";
    if (before.empty() || pod.name.contains('/'))
      return std::unexpected(go_quote(text) + ": expected NAME, NAMESPACE/NAME or pod/NAME");
    if (!is_kind && !ns.empty() && ns != before)
      return std::unexpected(std::format("{} and -n {} name two namespaces", go_quote(text), ns));
    if (!is_kind) pod.ns = before;
  }
  if (pod.name.empty()) return std::unexpected("expected the name of a pod, and it is empty");
  return pod;
}

}  // namespace winnow
