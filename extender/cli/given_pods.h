// Pods of files, as an API server of the cluster would take them.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "cluster/api/pod.h"

namespace winnow {

class State;
struct CommonFlags;

/// A pod of a file, and what its classes did not give it.
struct GivenPod {
  Pod pod;
  std::vector<std::string> not_judged;
};

/// Reads the pods of files. New ones get what their classes give, by the objects of the cluster and of the
/// files. Warns of unknown fields, and of what an API server would refuse.
/// @param flag  which names the files: "--pods". @return at least one pod; or an error of one line.
std::expected<std::vector<GivenPod>, std::string> read_given_pods(const std::string& flag,
                                                                  const std::vector<std::string>& files,
                                                                  const State& state);

/// The pods that are named, or all; or the error if one is missing.
std::expected<std::vector<GivenPod>, std::string> wanted_of(std::vector<GivenPod> pods,
                                                            const CommonFlags& common,
                                                            const std::vector<std::string>& names);

}  // namespace winnow
