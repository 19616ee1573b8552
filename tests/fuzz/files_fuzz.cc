// Files of a cluster: JSON, YAML and gzip.
#include <zlib.h>

#include <cstdint>
#include <memory>
#include <set>

#include "cluster/admission/defaults.h"
#include "cluster/expand/expand.h"
#include "cluster/files/cluster_file.h"
#include "cluster/files/dump.h"
#include "cluster/state/state.h"
#include "cluster/text/characters.h"
#include "cluster/text/json_document.h"
#include "cluster/text/source.h"
#include "tests/fuzz/fuzz.h"

namespace winnow::fuzz {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 20;

std::string packed(std::string_view plain) {
  z_stream stream{};
  must(deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK,
       "zlib starts");
  std::string out(deflateBound(&stream, plain.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(plain.data()));
  stream.avail_in = static_cast<uInt>(plain.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  must(deflate(&stream, Z_FINISH) == Z_STREAM_END, "zlib packs");
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

/// Counts of each kind, and what was noted.
std::string summary_of(const ClusterObjects& objects) {
  std::string text;
  for_each_kind([&]<class Object>(const Kind<Object>& kind) {
    text += std::string(kind.kind) + '=' + std::to_string(objects.of<Object>().size()) + ' ';
  });
  for (const auto& [kind, count] : objects.skipped) text += kind + '=' + std::to_string(count) + ' ';
  return text + std::to_string(objects.finished_pods) + ' ' + std::to_string(objects.repeated) + ' ' +
         objects.first_repeated + ' ' + objects.first_shared_uid;
}

void check_same(const ClusterObjects& a, const ClusterObjects& b, std::string_view text) {
  must(summary_of(a) == summary_of(b), "both have the same objects", text);
  must(a.of<Pod>() == b.of<Pod>() && a.of<Node>() == b.of<Node>(), "pods and nodes are equal", text);
}

/// The documents of a text as JSON, one a line; nothing if the text has an error. Of equal keys the last
/// counts, as in files.
std::optional<std::string> as_json(std::string text) {
  if (!take_out_logs(text).empty()) return std::nullopt;
  DocumentReader reader(std::move(text), Merges::kTwice);
  std::string out;
  for (;;) {
    rapidjson::Document document;
    const auto more = reader.next(document);
    if (!more) return std::nullopt;
    if (!*more) return out;
    keep_last_keys(document, 1);
    if (!document.IsNull()) out += json_of(document) + '\n';
  }
}

void cluster(std::string_view text) {
  const auto objects = read_cluster_text("f", std::string(text));
  if (!objects) check_error(objects.error().message);
  // Without "items" at the end of the text it is read as documents, not item by item.
  const bool is_json = text.find_first_not_of(" \t\r\n") != std::string_view::npos &&
                       text[text.find_first_not_of(" \t\r\n")] == '{';
  if (is_json) {
    const auto documents =
        read_cluster_text("f", std::string(text) + R"({"kind":"List","items":[{"kind":"X","metadata":{}}]})");
    must(objects.has_value() == documents.has_value(), "item by item and as a document agree",
         objects ? documents.error().message : objects.error().message);
    if (objects) {
      ClusterObjects copy = *documents;
      if (--copy.skipped["X"] == 0) copy.skipped.erase("X");
      check_same(*objects, copy, text);
    }
  }
  if (!objects) return;
  const auto json = as_json(std::string(text));
  must(json.has_value(), "a file that is read is one of documents");
  if (json->empty()) return;
  const auto again = read_cluster_text("f", *json);
  must(again.has_value(), "a file that is written as JSON is read back", *json);
  check_same(*objects, *again, *json);
  State state;
  load(state, *objects);
  must(state.pod_count() == objects->of<Pod>().size(), "each pod is in the state", *json);
  must(state.node_count() == objects->of<Node>().size(), "each node is in the state", *json);
}

void gzip(std::string_view text) {
  const auto inflated = inflate_gzip(text, kMostBytes);
  if (!inflated) check_error(inflated.error());
  const auto back = inflate_gzip(packed(text), kMostBytes);
  must(back.has_value() && *back == text, "what is packed is unpacked");
  const auto twice = inflate_gzip(packed(text) + packed("x"), kMostBytes);
  must(twice.has_value() && *twice == std::string(text) + "x", "members follow each other");
  must(text.size() < 2 || !inflate_gzip(packed(text), text.size() - 1).has_value(), "a bomb is stopped");
}

void file(std::string_view text) {
  const MemoryFile plain(text), zipped(packed(text));
  const auto source = read_source(plain.name(), kMostBytes);
  if (!source) check_error(source.error());
  if (!text.starts_with("\x1f\x8b"))
    must(source.has_value() && *source == text, "a plain file is read as it is");
  const auto unzipped = read_source(zipped.name(), kMostBytes);
  must(unzipped.has_value() && *unzipped == text, "a packed file is unpacked");
  const std::string both[] = {plain.name(), zipped.name()};
  const auto one = read_cluster(std::span(both).first(1)), other = read_cluster(std::span(both).last(1));
  if (text.starts_with("\x1f\x8b")) return;
  must(one.has_value() == other.has_value(), "plain and packed files are read alike");
  if (one) check_same(*one, *other, text);
}

/// A cluster of two nodes, with a class, a range and a claim that pods of files meet.
const State& small_cluster() {
  static const auto state = [] {
    auto made = std::make_unique<State>();
    load(*made, read_cluster_text("f", R"({"kind":"List","items":[{"kind":"Node","metadata":{"name":"a"}},
      {"kind":"Node","metadata":{"name":"b"},"spec":{"taints":[{"key":"k","effect":"NoSchedule"}]}},
      {"kind":"Pod","metadata":{"name":"web-0"}},{"kind":"PriorityClass","metadata":{"name":"c"},"value":5},
      {"kind":"LimitRange","metadata":{"name":"l"},"spec":{"limits":[{"type":"Container","max":{"cpu":"2"}}]}},
      {"kind":"PersistentVolumeClaim","metadata":{"name":"data-web-1"}}]})")
                    .value());
    return made;
  }();
  return *state;
}

void new_pods(std::string_view text) {
  const auto made = read_new_objects_text("f", std::string(text), {.replicas = 3}, small_cluster());
  if (!made) return check_error(made.error().message);
  must(made->added.of<Pod>().empty(), "pods are in the sets alone", text);
  std::set<std::string> names;
  for (const PodSet& set : made->sets) {
    for (std::size_t i = 0; i < set.size(); ++i) {
      const Pod pod = set.pod(i);
      must(pod == set.pod(i), "a pod is the same each time", text);
      must(pod.spec.node_name.empty() && !pod.metadata.uid.empty(), "a pod has a UID and no node", text);
      must(names.insert(pod.metadata.namespace_ + "/" + pod.metadata.name).second, "a name is given once",
           text);
      must(small_cluster().find_pod(pod.metadata.namespace_, pod.metadata.name) == kNone, "it was free",
           text);
      Pod again = pod;
      set_defaults(again);
      must(again == pod, "a pod has the defaults", text);
      for (const PersistentVolumeClaim& claim : set.claims(i))
        must(claim.metadata.name != "data-web-1" || claim.metadata.namespace_ != "default", "a claim is new",
             text);
      const std::vector<ResourceClaim> claims = set.resource_claims(i);
      must(claims == set.resource_claims(i), "a ResourceClaim is the same each time", text);
      must(claims.size() == pod.status.resource_claim_statuses.size(), "the pod names its ResourceClaims",
           text);
    }
  }
}

constexpr Part kParts[] = {cluster, gzip, file, new_pods};

}  // namespace
}  // namespace winnow::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return winnow::fuzz::run_part(data, size, winnow::fuzz::kParts);
}
