// Internal: what `kubectl cluster-info dump` writes beside objects. Only .cc files include this.
//
// On standard output it is a list after another, as JSON or YAML, and behind the pods of a namespace the logs
// of their containers. With --output-directory it is a folder with a file for each list.
#pragma once

#include <expected>
#include <string>
#include <vector>

namespace winnow {

/// Makes the logs of containers in a text blank. Their lines stay, so that an error names the right one.
/// @return the error of a log that has no end; "": there is none.
std::string take_out_logs(std::string& text);

/// The files of a folder and of those in it, in order of their paths: .json, .yaml and .yml, and each of
/// these with .gz. Names that begin with a dot are left out. Anything but a folder is given back as it is.
/// @return the files; or an error without the folder's name, where it has none.
std::expected<std::vector<std::string>, std::string> files_of(const std::string& name);

}  // namespace winnow
