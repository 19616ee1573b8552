// Internal to extender/config and extender/operate: a file of rules, parsed once, and its kind. Only .cc
// files include this.
//
// A file is a Policy or a KubeSchedulerConfiguration of some version, and their readers differ in which keys
// may be there twice, and in what may follow the first document. So it is parsed leniently, and what each
// reader refuses is known afterwards.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cluster/api/generation.h"
#include "cluster/text/field_result.h"
#include "cluster/text/json_document.h"
#include "extender/config/config_release.h"

namespace winnow {

/// A file of rules, JSON or YAML. It may be no text at all: then its root is null, and the readers say why.
class ConfigDocument {
 public:
  explicit ConfigDocument(std::string_view text);

  /// The generation of the file. A file of unknown kind is a Policy, whose reader reports the error.
  Generation generation() const { return generation_; }
  /// The release that reads the file's apiVersion; null if it is none of a KubeSchedulerConfiguration.
  const ConfigRelease* release() const { return release_; }

  /// The first document. A key may be there twice.
  const rapidjson::Document& root() const { return root_; }
  /// The same for a reader that drops what its release took no notice of.
  rapidjson::Document& root() { return root_; }

  /// The error that this way of reading has for the first document.
  FieldResult first(Merges merges) const;
  /// The same for the release that reads the file: of v1alpha1 a key may be there twice.
  FieldResult first_for_release() const;
  /// What follows the first document.
  struct Second {
    bool is_there = false;
    bool is_null = false;
    std::optional<std::string> error;  ///< Why a strict reader does not take it.
  };
  const Second& second();
  /// The error of kubectl's way of reading if more than null documents follow. Not to be asked after
  /// second().
  FieldResult nothing_follows();
  /// Whether it is written as JSON: then kube-scheduler allows nothing after the first value.
  bool is_json() const { return is_json_; }

 private:
  const bool is_json_;
  DocumentReader reader_;
  rapidjson::Document root_;
  std::optional<std::string> error_;  ///< Why there is no first document.
  std::optional<std::string> for_kubectl_, for_strict_;
  Generation generation_ = Generation::kClassic;
  const ConfigRelease* release_ = nullptr;
  std::optional<Second> second_;
};

}  // namespace winnow
