// The flags of `winnow eval`.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "extender/cli/flags/common_flags.h"

namespace CLI {
class App;
}

namespace winnow {

struct EvalFlags {
  std::string expression;
  std::string pod;                  ///< --pod: a name as parse_pod_name() takes it, or a file; "": none.
  NodeWords nodes;                  ///< The nodes that are asked about; none: all.
  std::vector<std::string> params;  ///< --param, each KEY=VALUE.
  bool json = false;
  std::optional<int> width;
};

/// Adds `winnow eval`.
void add_eval(CLI::App& app, EvalFlags& flags, CommonFlags& common);

/// Moves the expression back that --cluster has taken: the last of several that is no file.
void give_back_expression(EvalFlags& flags, CommonFlags& common);

/// Whether a word names a file: it has a file's ending, is "-", or is the path of one.
bool names_file(const std::string& word);

/// The parameters as a rule's arguments have them: a JSON object {"params":{…}}; "": none. A value that is
/// JSON counts as such (0.8, true, ["a"]), and any other is a text.
/// @return it; or the error of one line.
std::expected<std::string, std::string> params_json(const std::vector<std::string>& params);

}  // namespace winnow
