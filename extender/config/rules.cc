#include "extender/config/rules.h"

#include <format>
#include <optional>
#include <utility>

#include "cluster/memory_budget.h"
#include "cluster/text/json/document.h"
#include "cluster/text/json/json_reader.h"
#include "cluster/text/printable.h"
#include "extender/config/policy/policy.h"
#include "extender/config/policy_beside.h"
#include "extender/config/scheduler_config/args/config_version.h"
#include "extender/config/scheduler_config/releases/version_notes.h"
#include "extender/config/scheduler_config/scheduler_config.h"

namespace winnow {
namespace {

/// The generation of a file. A Policy may have today's API group too (v1.18 to v1.22), and may lack its kind.
/// Files of unknown generation go to the reader of policies, which reports the error.
Generation generation_of(std::string_view text) {
  DocumentReader reader(std::string(text), Merges::kTwice);
  rapidjson::Document root;
  if (!reader.next(root).value_or(false) || !root.IsObject()) return Generation::kClassic;
  const std::string_view kind = string_at(root, "kind");
  if (!kind.empty()) return kind == kSchedulerConfigKind ? Generation::kToday : Generation::kClassic;
  const bool has_profiles = root.HasMember("profiles") || root.HasMember("leaderElection");
  const bool of_group = string_at(root, "apiVersion").starts_with(kSchedulerConfigGroup);
  const bool has_rules = root.HasMember("predicates") || root.HasMember("priorities");
  return has_profiles || (of_group && !has_rules) ? Generation::kToday : Generation::kClassic;
}

std::expected<LoadedRules, std::string> load(std::string_view text, const Gates& gates) {
  const Generation generation = generation_of(text);
  if (auto error = foreign_gate(gates, generation)) return std::unexpected(std::move(*error));
  if (generation != Generation::kToday) return load_policy(text, gates);
  return load_scheduler_config(
      text, [&](const std::optional<std::string>& path) { return load_policy_beside(path, gates); });
}

}  // namespace

std::expected<LoadedRules, std::string> load_rules(std::string_view file_name, std::string_view text,
                                                   const Gates& gates) try {
  // Thousands of profiles take many times their text.
  const HeldToProcess held;
  auto loaded = load(text, gates);
  if (!loaded)
    return std::unexpected(one_line(std::format("{}: {}", file_name, loaded.error()), kMostLineBytes));
  for (std::vector<std::string>* lines : {&loaded->notes, &loaded->warnings})
    for (std::string& line : *lines) line = one_line(line, kMostLineBytes);
  loaded->text = text;
  return loaded;
} catch (const MemoryExceeded& exceeded) {
  return std::unexpected(one_line(std::format("{}: {}", file_name, exceeded.text()), kMostLineBytes));
}

LoadedRules default_rules(const Gates& gates) { return default_policy(gates); }

}  // namespace winnow
