// The file of --config, as `winnow serve` reads it and checks it against --answer.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "extender/cli/flags/flags.h"
#include "extender/config/rules.h"

namespace winnow {

/// A reader of the file, which is read with each call. The flags must outlive it.
class ConfigSource {
 public:
  ConfigSource(const CommonFlags& common, const ServeFlags& flags) : common_(common), flags_(flags) {}

  const std::string& file() const { return common_.config; }
  /// The file's text; "" without a file, for standard input, or if it cannot be read.
  std::string text() const;

  /// The errors, a line each; at least one.
  using Errors = std::vector<std::string>;
  /// The rules of the file, or the default provider's. With --answer=best, rules that lack a check which
  /// kube-scheduler-best.yaml leaves to Winnow are an error. With --allow-missing-rules they get warnings
  /// instead.
  std::expected<LoadedRules, Errors> load() const;

 private:
  const CommonFlags& common_;
  const ServeFlags& flags_;
};

}  // namespace winnow
