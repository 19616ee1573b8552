// `winnow configure`: kube-scheduler's new configuration file, made of the operator's own one and of the file
// that Winnow ships for a way to run it.
//
// configure.h is the interface of extender/configure. ways.h has what is shipped for each way: the manifests
// themselves are compiled in. put_in.h changes the document. yaml_diff.h writes two documents as YAML, side
// by side. reasons.h says why a line changes. No file is read or written here.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "extender/config/common/gates.h"
#include "extender/config/common/loaded_rules.h"
#include "extender/configure/diff_line.h"
#include "extender/configure/way.h"

namespace winnow {

/// What the operator asks for.
struct ConfigureWish {
  Way way = Way::kScores;
  int release = 37;  ///< kube-scheduler 1.N.
  /// Where kube-scheduler reaches Winnow. Absent: the address that the shipped file has.
  std::optional<std::string> url_prefix;
  Gates gates;
  const LoadedRules* rules = nullptr;  ///< Winnow's rules; null: they are made of the operator's file.
  std::string file_name = "kube-scheduler.yaml";  ///< What remarks call the operator's file.
};

/// What configure() makes.
struct Configured {
  std::vector<DiffLine> diff;  ///< Old and new, by lines. Without changes no line is marked.
  std::string scheduler;       ///< kube-scheduler's new file, YAML. The changed lines carry their reasons.
  std::string rules;           ///< The file for Winnow's --config; "" if the wish has rules.
  std::vector<std::string> flags;    ///< What `winnow serve` is started with, besides --config.
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
