// The objects of files, one after another: their kinds and API groups, their reader, and its error.
#pragma once

#include <cstddef>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/function_ref.h"
namespace winnow {

class Reader;
struct KindInfo;

/// An error: `cluster.json: items[3].spec.nodeName: 5 is not a string`, `x.yaml: line 2, column 3: …`. From a
/// file's second document on, the document's number precedes the path.
struct FileError {
  std::string message;
};

/// What is odd in files and does no harm to the reading: fields that the API does not know, or that are there
/// twice, and a RuntimeClass that is not there. "web.yaml: Pod shop/web: unknown field …".
struct FileWarnings {
  static constexpr std::size_t kMostLines = 20;

  std::vector<std::string> lines;  ///< The first ones.
  std::size_t more = 0;            ///< How many others there are.

  void add(std::string line) {
    if (lines.size() < kMostLines)
      lines.push_back(std::move(line));
    else
      ++more;
  }
  void add(FileWarnings others) {
    for (std::string& line : others.lines) add(std::move(line));
    more += others.more;
  }
};

// The kind and the API group of an object in a file.

/// The group matters: serving.knative.dev has a Service too.
struct TypeMeta {
  std::string kind;
  std::string group;
  std::string version;     ///< "v1beta1"
  bool has_group = false;  ///< Items of raw lists have neither; then any group matches.

  /// Whether the object is of the kind, in any version.
  bool is(const KindInfo& info) const;
  /// Whether the object is of the version that Winnow reads, or of an older one that is not stable. Those
  /// have the same fields, or the decoder of the kind reads both.
  bool is_known_version(const KindInfo& info) const;
  /// "Ingress.networking.k8s.io", "ConfigMap".
  std::string text() const { return group.empty() ? kind : kind + "." + group; }
};

/// The text `apiVersion: "v9" is none of Pod's; expected v1`.
std::string wrong_version(const TypeMeta& type, const KindInfo& info);

// Internal: the reader of the objects, with their types. Only .cc files use it.
//
// A text may be a v1 List, a List of a known kind (PodList, …), a single object, or several documents.

/// Takes an object in. The reader's values are valid during the call.
/// @param file  the name of the file, as it was given.
/// @return whether to go on. Before false it calls the reader's fail() or complain().
using ObjectVisitor = FunctionRef<bool(std::string_view file, const Reader& object, const TypeMeta& type)>;

/// Reads files in order; "-" is standard input, and a folder stands for the files in it. They are plain or
/// gzip, JSON or YAML, and each has at most 4 GiB, and at most a quarter of the memory limit. Logs of
/// containers between objects are left out, as `kubectl cluster-info dump` prints them. A JSON list is read
/// item by item. Items of a typed list need no kind of their own. A text without documents is an error. Of
/// equal keys in a document the last one counts, as for kubectl.
/// @param warnings  gets what is odd; null: nobody asks. An object that an API server has given, with a uid,
///   is not looked through.
std::expected<void, FileError> visit_files(std::span<const std::string> files, const ObjectVisitor& visit,
                                           FileWarnings* warnings = nullptr);

/// The same for one text; `name` names it in errors.
std::expected<void, FileError> visit_text(std::string_view name, std::string text, const ObjectVisitor& visit,
                                          FileWarnings* warnings = nullptr);

}  // namespace winnow
