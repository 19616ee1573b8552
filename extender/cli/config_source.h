// --config as serve takes it: the rules of the file, held against --answer.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "extender/cli/flags.h"
#include "extender/config/rules.h"

namespace winnow {

/// Reads the file anew with every call. The flags outlive it.
class ConfigSource {
 public:
  ConfigSource(const CommonFlags& common, const ServeFlags& flags) : common_(common), flags_(flags) {}

  const std::string& file() const { return common_.config; }
  /// The file's text; "" where there is no file that could change.
  std::string text() const;

  /// What is wrong, a line each; at least one.
  using Errors = std::vector<std::string>;
  /// The rules of the file, or the default provider's. With --answer=best, rules that lack what
  /// kube-scheduler-best.yaml leaves to Winnow are an error, or with --allow-missing-rules warnings of
  /// theirs.
  std::expected<LoadedRules, Errors> load() const;

 private:
  const CommonFlags& common_;
  const ServeFlags& flags_;
};

}  // namespace winnow
