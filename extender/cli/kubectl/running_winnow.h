// A Winnow that runs in the cluster, asked through the API server's proxy.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "extender/explain/decisions_json.h"
#include "extender/explain/explanation.h"

namespace winnow {

class ApiReader;
struct ObjectName;

/// A Service of Winnow's, with the port that takes calls.
struct WinnowService {
  std::string ns, name;
  std::int64_t port = 0;
  bool tls = false;
  std::string prefix = {};  ///< Before all its paths, as "/scheduler"; "": none.

  std::string full_name() const { return ns + '/' + name; }
  /// The path of a call by way of the API server.
  std::string proxy_path(const std::string& verb) const;
};

/// The annotation of a Service whose Winnow has --path-prefix: its value.
inline constexpr const char* kPathPrefix = "winnow.dev/path-prefix";

/// What became of looking for one.
struct LookUp {
  std::optional<WinnowService> service;
  std::string why_none;  ///< If there is none.
};

/// Looks for the Service that manifests/ and the chart make, by its label: first in kube-system.
/// What is before its paths stands in the Service's annotation kPathPrefix.
/// @param named  --winnow NAMESPACE/SERVICE; "": any. One that is named and cannot be used is an error.
/// @param prefix  what is before its paths, whatever the annotation says; nothing: as that says.
/// @return the error is one line for the user.
std::expected<LookUp, std::string> find_winnow(ApiReader& api, const std::string& named,
                                               const std::optional<std::string>& prefix = {});

/// Why Winnow did not explain a pod.
struct NoExplanation {
  bool ask_elsewhere = false;  ///< It cannot be reached this way: the cluster itself may still be read.
  bool of_pod = false;         ///< It does not know this pod: it may know others.
  std::string message;         ///< One line.
};

/// Asks that Winnow about a pod. @param nodes  the nodes to explain; empty: all.
/// @param facts  the facts of scores are asked for, too.
std::expected<Explanation, NoExplanation> ask_winnow(ApiReader& api, const WinnowService& winnow,
                                                     const ObjectName& pod,
                                                     const std::vector<std::string>& nodes,
                                                     bool facts = false);

/// Asks for the last decision about a pod. @return nothing: none is kept there, or the user may not ask.
std::optional<ToldDecision> ask_last_decision(ApiReader& api, const WinnowService& winnow,
                                              const ObjectName& pod);

}  // namespace winnow
