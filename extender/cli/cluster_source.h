// What a command works on, read as the flags say: the cluster and the rules. named_pods.h and named_nodes.h
// find in it what the command line names.
#pragma once

#include <expected>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/api/kinds.h"
#include "cluster/files/cluster_objects.h"
#include "cluster/function_ref.h"
#include "cluster/state/cluster_cache.h"
#include "cluster/state/state.h"
#include "extender/config/extenders.h"

namespace winnow {

struct CommonFlags;

/// A text, or why it cannot be read.
using ReadText = std::expected<std::string, std::string>;
/// Reads the file of --config, which may be standard input. "" without a file.
ReadText read_config(const CommonFlags& flags);
/// The rules of what read_config() has read; without a file those that --config names. @return the rules, or
/// an error of one line.
std::expected<LoadedRules, std::string> rules_of(const CommonFlags& flags, const ReadText& text);
/// Both in one.
std::expected<LoadedRules, std::string> rules_from(const CommonFlags& flags);

/// Told each object of the files as JSON, see read_cluster(). Called on another thread than the caller's.
using OnObject = FunctionRef<void(std::string_view json)>;

/// Reads the files of --cluster into a cache. Logs the kinds that were not used.
/// @param on_object  called before this returns.
/// @return the cache, or an error of one line.
std::expected<std::unique_ptr<ClusterCache>, std::string> cache_from(const CommonFlags& flags,
                                                                     const State::Options& options,
                                                                     const OnObject& on_object = nullptr);

/// The same for several options: the files are read once. @return a cache for each.
std::expected<std::vector<std::unique_ptr<ClusterCache>>, std::string> caches_from(
    const CommonFlags& flags, std::span<const State::Options> options, const OnObject& on_object = nullptr);

/// Warns of fields of files that are unknown, or there twice.
void warn_of_fields(const FileWarnings& warnings);
/// Warns of fields of pods that an API server would refuse: a line for each of the first ones.
void warn_of_refused(const ClusterObjects::Refused& refused);

/// The error of a command that needs nodes, where the files of --cluster have none: what to add to the
/// command that wrote them. "": there is a node, or the cluster is live.
std::string lacks_nodes(const CommonFlags& flags, const State& state);
/// Whether a dump has no pod at all, so that pods seem to have been forgotten.
bool lacks_pods(const CommonFlags& flags, const State& state);

/// The state of the cluster for these rules: from files, or from a live cluster that is watched until the
/// cache is complete, for 60 s at most. Where expressions read the usage of nodes, the metrics API is asked
/// once. @param more  kinds to watch beside those that the rules read.
/// @return the cache, or an error of one line.
std::expected<std::shared_ptr<ClusterCache>, std::string> snapshot_from(const CommonFlags& flags,
                                                                        const LoadedRules& rules,
                                                                        WatchedKinds more = {});
/// The same for a state of these options, with these kinds alone.
std::expected<std::shared_ptr<ClusterCache>, std::string> snapshot_from(const CommonFlags& flags,
                                                                        const State::Options& options,
                                                                        WatchedKinds needs);
/// The same for a live cluster, with these kinds alone.
std::expected<std::shared_ptr<ClusterCache>, std::string> live_snapshot(const CommonFlags& flags,
                                                                        const LoadedRules& rules,
                                                                        WatchedKinds needs);

/// Logs the notes and the warnings of a configuration.
void log_notes(const LoadedRules& rules);
/// Logs the rules: a line for each profile, or one for all pods.
void log_rules(const LoadedRules& loaded);

}  // namespace winnow
