// Internal: the objects of files, one after another, with their types. Only .cc files include this.
//
// A text may be a v1 List, a List of a known kind (PodList, …), a single object, or several documents.
#pragma once

#include <expected>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "cluster/files/file_error.h"
#include "cluster/files/type_meta.h"
#include "cluster/text/json/json_reader.h"

namespace winnow {

/// Takes an object in. The reader's values are valid during the call.
/// @param file  the name of the file, as it was given.
/// @return whether to go on. Before false it calls the reader's fail() or complain().
using ObjectVisitor = std::function<bool(std::string_view file, const Reader& object, const TypeMeta& type)>;

/// Reads files in order; "-" is standard input. They are plain or gzip, JSON or YAML, and each has at most
/// 4 GiB, and at most a quarter of the memory limit. A JSON list is read item by item. Items of a typed list
/// need no kind of their own. A text without documents is an error.
std::expected<void, FileError> visit_files(std::span<const std::string> files, const ObjectVisitor& visit);

/// The same for one text; `name` names it in errors.
std::expected<void, FileError> visit_text(std::string_view name, std::string text,
                                          const ObjectVisitor& visit);

}  // namespace winnow
