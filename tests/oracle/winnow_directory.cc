#include "tests/oracle/winnow_directory.h"

#include <filesystem>
#include <utility>
#include <vector>

#include "cluster/files/cluster_file.h"
#include "cluster/text/source.h"
#include "extender/config/gates.h"
#include "extender/config/rules.h"

namespace winnow {

std::expected<OracleDirectory, std::string> read_directory(const std::string& directory,
                                                           const std::string& gates) {
  const auto path = [&](const char* name) { return directory + "/" + name; };
  const std::string config =
      path(std::filesystem::exists(path("config.json")) ? "config.json" : "policy.json");
  const auto text = read_source(config, kMaxConfigBytes);
  if (!text) return std::unexpected(text.error());
  const auto parsed = parse_gates(gates);
  if (!parsed) return std::unexpected(parsed.error());
  auto rules = load_rules(config, *text, *parsed);
  if (!rules) return std::unexpected(rules.error());
  const auto objects = read_cluster(std::vector{path("cluster.json")});
  if (!objects) return std::unexpected(objects.error().message);
  auto state = std::make_unique<State>(state_options(*rules));
  load(*state, *objects);
  return OracleDirectory{.rules = *std::move(rules), .state = std::move(state)};
}

}  // namespace winnow
