#include "cluster/client/servers/pod_look_up.h"

#include <chrono>
#include <utility>

#include "cluster/api/decode.h"
#include "cluster/client/servers/pod_write.h"
#include "cluster/text/encoding.h"
#include "cluster/text/json_scan.h"

namespace winnow::live {
namespace {

using std::chrono::milliseconds;

/// The value of a field selector. Upstream: apimachinery/pkg/fields/selector.go EscapeValue v0.37.0.
std::string escaped(std::string_view value) {
  std::string text;
  for (const char c : value) {
    if (c == '\\' || c == ',' || c == '=') text += '\\';
    text += c;
  }
  return text;
}

std::string list_path_of(std::string_view ns, std::string_view name) {
  return "/api/v1/namespaces/" + percent_encoded(ns) +
         "/pods?fieldSelector=" + percent_encoded("metadata.name=" + escaped(name));
}

/// The list's version, and its one pod.
struct NamedPod {
  std::string resource_version;
  std::optional<Pod> pod;
};

/// @return nothing if the body is no list of at most one pod.
std::optional<NamedPod> read_list(std::string_view body) {
  JsonScan scan(body);
  NamedPod named;
  std::string_view kind;
  std::string_view item;
  std::size_t items = 0;
  read_members(scan, [&](std::string_view key) {
    if (key == "kind") {
      kind = raw_string(scan);
    } else if (key == "metadata") {
      read_object(scan, [&](std::string_view field) {
        const std::string_view text = raw_string(scan);
        if (field == "resourceVersion") named.resource_version = text;
      });
    } else if (key == "items") {
      read_elements(scan, [&] {
        item = scan.value();
        ++items;
      });
    } else {
      scan.value();
    }
  });
  if (!scan.expect_end() || kind != "PodList" || items > 1) return std::nullopt;
  if (items == 0) return named;
  auto pod = decode_pod(item);
  if (!pod) return std::nullopt;
  named.pod = std::move(*pod);
  return named;
}

PodLookedUp judge(NamedPod named, std::string_view uid) {
  PodLookedUp result{.found = PodFound::kGone, .resource_version = std::move(named.resource_version)};
  if (!named.pod || named.pod->metadata.uid != uid) return result;
  result.pod = std::move(named.pod);
  if (has_ended(*result.pod)) return result;
  result.node = result.pod->spec.node_name;
  result.found = result.node.empty() ? PodFound::kUnbound : PodFound::kBound;
  return result;
}

}  // namespace

PodLookedUp PodLookUp::look_up(std::string_view ns, std::string_view name, std::string_view uid,
                               Clock::Time deadline, const std::stop_token& stop) const {
  const WriteParts parts{.servers = servers_, .transport = transport_, .clock = clock_, .purpose = "look-up"};
  PodWrite requests(parts, ns, name, deadline, stop);
  const ApiRequest list{.path = list_path_of(ns, name)};
  std::string wrong;
  while (requests.left() > milliseconds(0)) {
    const PodWrite::Answer answer = requests.call(list);
    if (answer && answer->status == 200) {
      if (auto named = read_list(answer->body)) return judge(std::move(*named), uid);
      wrong = "the answer is no PodList of one pod";
    }
    if (PodWrite::is_stopped(answer)) break;
    if (answer && answer->status != 200 && requests.is_settled(*answer)) break;
    requests.pause(answer);
  }
  std::string error = requests.last_error().empty() ? wrong : requests.last_error();
  if (error.empty()) error = "no API server has answered in time";
  return {.error = std::move(error)};
}

}  // namespace winnow::live
