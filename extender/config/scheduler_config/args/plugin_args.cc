#include "extender/config/scheduler_config/args/plugin_args.h"

#include <format>

#include "cluster/text/go_quote.h"
#include "extender/config/scheduler_config/args/config_version.h"

namespace winnow {

FieldResult check_args_kind(std::string_view plugin, std::string_view version, const Reader& args,
                            std::string_view path) {
  std::string kind;
  std::string written;
  args.read("kind", kind);
  args.read("apiVersion", written);
  const std::string expected_kind = std::string(plugin) + "Args";
  if (!kind.empty() && kind != expected_kind)
    return std::unexpected(std::format("{}.kind: args for plugin {} were not of type {}, got {}", path,
                                       plugin, expected_kind, kind));
  // A missing version, with or without a missing group, is the configuration's own.
  const std::string group(kSchedulerConfigGroup);
  if (written.empty() || written == "/" || written == group || written == group + std::string(version))
    return {};
  return std::unexpected(
      std::format("{}.apiVersion: {} is not {}{}", path, go_quote(written), group, version));
}

}  // namespace winnow
