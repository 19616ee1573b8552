// The objects of a cluster, read from files as kubectl writes them, and written into a state.
//
// cluster/text/source.h reads bytes, json_document.h there makes values of JSON or YAML, object_reader.h
// finds the objects in these, cluster_objects.h decodes and collects them, and this header fills a state.
#pragma once

#include <expected>
#include <span>
#include <string>
#include <string_view>

#include "cluster/files/cluster_objects.h"
#include "cluster/files/object_reader.h"
#include "cluster/function_ref.h"

namespace winnow {

class State;

/// Reads files as visit_files() does. An object without a name is an error.
/// An object without a namespace is in "default". A pod or a ResourceClaim without a UID gets
/// "NAMESPACE/NAME". Objects get the API server's defaults (cluster/admission/defaults.h,
/// cluster/admission/pod_errors.h).
/// @param on_object  called with each object that was taken in, as JSON of one line with its kind: never one
/// of a kind without a row in kKinds. Null: nobody is told. A List of these texts reads as the files do.
std::expected<ClusterObjects, FileError> read_cluster(
    std::span<const std::string> files, FunctionRef<void(std::string_view json)> on_object = nullptr);

/// The same for one text; `name` names it in errors.
std::expected<ClusterObjects, FileError> read_cluster_text(std::string_view name, std::string text);

// The objects of files, written into a state.

/// Puts every object into the state, as if it had arrived as an event.
void load(State& state, const ClusterObjects& objects);

}  // namespace winnow
