// A file of rules that is inside another object: in a ConfigMap, or in the SchedulerConfiguration of AKS.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "cluster/text/json_reader.h"

namespace winnow {

/// A file inside an object.
struct WrappedConfig {
  std::string path;  ///< "data[config.yaml]"
  std::string text;
  std::string note;  ///< "the file is a ConfigMap, its config.yaml is read"
};

/// The file of rules in an object, as `kubectl get -o yaml` prints it. Of a ConfigMap's several files the one
/// that is named as such files are, or else the one that is of a kind with rules.
/// @return nothing: it is no such object. Or an error: there is none in it, or several are.
std::optional<std::expected<WrappedConfig, std::string>> wrapped_config(const rapidjson::Value& root);

/// What a text without a kind is, as other_text() says; "": it has one, or is none of these.
std::string other_file(const rapidjson::Value& root, std::string_view text);

/// kube-scheduler's own file, as its readers take it.
struct UnwrappedConfig {
  std::string text;
  std::string note;  ///< As above; "": it is the file itself.
};
/// Reads a file, or standard input for "-", and takes kube-scheduler's out of it.
/// @return it, or an error without the file's name.
std::expected<UnwrappedConfig, std::string> read_unwrapped(const std::string& file);

}  // namespace winnow
