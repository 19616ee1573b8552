// Internal: workloads, decoded. Only .cc files include this.
#pragma once

#include <optional>
#include <string>

#include "cluster/expand/workload.h"
#include "cluster/files/type_meta.h"
#include "cluster/text/json/json_reader.h"

namespace winnow {

/// What makes the pods of an object of this type; nothing for other kinds.
std::optional<Maker> maker_of(const TypeMeta& type);

/// Reads an object that maker_of() knows. An object without a namespace is in "default".
/// @return nothing at an error; the reader has been told then.
std::optional<Workload> read_workload(const Reader& object, const TypeMeta& type, Maker maker);

/// The field that has containers in an object of a kind that maker_of() does not know, as "spec.template";
/// "" if the object has none. Such an object makes pods in a way that is not known here.
std::string unknown_template(const Reader& object);

}  // namespace winnow
