// `winnow configure`: kube-scheduler's new configuration file, made of the operator's own one and of the file
// that Winnow ships for a way to run it.
//
// reasons.h has what is shipped for each way, and says why a line changes. The manifests
// themselves are compiled in. config_merger.h changes the document. yaml_diff.h writes two documents as YAML,
// side by side. No file is read or written here.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "extender/config/gates.h"
#include "extender/operate/reasons.h"
#include "extender/operate/yaml_diff.h"

namespace winnow {

struct ClusterUses;
struct LoadedRules;

/// What the operator asks for.
struct ConfigureWish {
  DeploymentMode way = DeploymentMode::kScores;
  int release = 37;  ///< kube-scheduler 1.N.
  /// Where kube-scheduler reaches Winnow. Absent: the address that the shipped file has.
  std::optional<std::string> url_prefix;
  Gates gates;
  const LoadedRules* rules = nullptr;  ///< Winnow's rules; null: they are made of the operator's file.
  const ClusterUses* uses = nullptr;   ///< What the cluster uses; null: not known.
  std::string file_name = "kube-scheduler.yaml";  ///< What remarks call the operator's file.
};

/// What configure() makes.
struct Configured {
  std::vector<DiffLine> diff;  ///< Old and new, by lines. Without changes no line is marked.
  std::string scheduler;       ///< kube-scheduler's new file, YAML. The changed lines carry their reasons.
  std::string rules;           ///< The file for Winnow's --config; "" if the wish has rules.
  std::vector<std::string> flags;    ///< What `winnow serve` is started with, besides --config.
  std::string form;                  ///< With `best`: which filters kube-scheduler keeps, and why.
  std::vector<std::string> remarks;  ///< What the operator should know, a line each, with the file's name.

  bool changes_scheduler() const;
};

/// Makes kube-scheduler's new file. Every setting of the operator's that does not contradict the way stays as
/// it is.
/// @param text  the operator's file, as kube-scheduler 1.37 reads it.
/// @return the result, which `winnow check` accepts; or one line for each thing that stands in the way.
std::expected<Configured, std::vector<std::string>> configure(std::string_view text,
                                                              const ConfigureWish& wish);

}  // namespace winnow
