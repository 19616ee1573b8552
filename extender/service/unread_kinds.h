// Kinds that Winnow does without: which rules read them, what is answered meanwhile, and the log of both.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "extender/engine/ruleset.h"

namespace winnow::live {

class LiveCluster;

}  // namespace winnow::live

namespace winnow {

enum class ResourceKind : std::uint8_t;

/// The rules that read the kind, by name, each once, with commas between them. "": the service alone reads
/// it.
std::string readers_of(const std::vector<RuleSet>& sets, ResourceKind kind);

/// What is answered as long as the kind is not read, in one clause. "": no answer is given without the kind.
std::string_view answers_without(ResourceKind kind);

/// Logs each resource that is not read, once for each reason, and again when it is read. For one thread.
class UnreadKindsLog {
 public:
  /// Logs what has changed since the last call. @param sets  the rules in force.
  void look(const live::LiveCluster& cluster, const std::vector<RuleSet>& sets);

 private:
  std::map<std::string, std::string> told_;  ///< By resource: why it is not read.
};

}  // namespace winnow
