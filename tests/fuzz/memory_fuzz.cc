// What input may take under a memory limit of 256 MiB: each verb that takes a body, over HTTP, and each
// reader of files. A small text becomes a large one, so that chance finds what costs more than its bytes.
//
// The first three lines of a text are what is there once before, what is repeated, and what is there once
// behind; each "#" in the repeated one becomes a number that counts up. The fourth line says how large it
// gets, as a number of KiB. What must hold is that the process never holds more than the limit, and goes on.
#include <zlib.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "cluster/files/cluster_file.h"
#include "cluster/memory_budget.h"
#include "cluster/text/source.h"
#include "extender/config/gates.h"
#include "extender/config/rules.h"
#include "extender/engine/engines.h"
#include "extender/engine/workers.h"
#include "extender/service/extender.h"
#include "extender/service/metrics/metrics.h"
#include "extender/service/verbs/routes.h"
#include "tests/extender/service/http/client.h"
#include "tests/fuzz/fuzz.h"

namespace winnow::fuzz {
namespace {

constexpr std::size_t kLimit = std::size_t{256} << 20;

/// Before anything asks for a bound.
[[maybe_unused]] const bool kAssumed = (assume_memory_limit(kLimit), true);

/// The large text of a small one.
std::string grown(std::string_view text, std::size_t most) {
  auto lines = lines_of(text);
  lines.resize(4);
  std::size_t kib = 256;
  std::from_chars(lines[3].data(), lines[3].data() + lines[3].size(), kib);
  const std::size_t size = std::min(most, kib << 10);
  std::string out(lines[0]);
  for (std::size_t i = 0; !lines[1].empty() && out.size() + lines[1].size() + lines[2].size() < size; ++i)
    for (const char c : lines[1])
      if (c == '#')
        out += std::to_string(i);
      else
        out += c;
  return out.append(lines[2]);
}

/// Checks what is taken while it lives. The client's own copies of a body and of an answer count too.
class Within {
 public:
  explicit Within(std::string_view what) : what_(what) { MemoryBudget::process().reset_peak(); }
  ~Within() {
    const auto peak = static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, MemoryBudget::process().peak()));
    must(peak < kLimit, "the process stays within the memory limit",
         std::string(what_) + ": " + std::to_string(peak >> 20) + " MiB");
  }
  Within(const Within&) = delete;
  Within& operator=(const Within&) = delete;

 private:
  std::string_view what_;
};

std::unique_ptr<ClusterCache> small_cache() {
  auto cache = std::make_unique<ClusterCache>(State::Options{.generation = Generation::kToday});
  constexpr const char* kCluster = R"({"kind":"List","items":[
    {"kind":"Node","metadata":{"name":"n0"},"status":{"allocatable":{"cpu":"4","pods":"110"}}},
    {"kind":"Node","metadata":{"name":"n1"},"status":{"allocatable":{"cpu":"8","pods":"110"}}}]})";
  cache->write([](State& state) { load(state, read_cluster_text("cluster", kCluster).value()); });
  return cache;
}

/// The service on a port, with the bounds that the program has.
class Service {
 public:
  Service()
      : rules_(load_rules("today", kConfig, Gates{}).value().sets),
        cache_(small_cache()),
        engines_(rules_, workers_),
        metrics_("test", "test"),
        extender_({.engines = {std::shared_ptr<const Engines>(), &engines_},
                   .cache = cache_,
                   .rejections = metrics_.rules(engines_.predicate_names())},
                  metrics_, {.seed = 1}),
        running_(
            [this](http::Request& request, http::Response& response) { extender_.handle(request, response); },
            http::Limits::of_memory(),
            [this](http::Server& server) { extender_.add_routes(server, Listener::kMain); }) {}

  int ask(std::string_view path, std::string_view body) {
    http::test::Client client(running_.port);
    client.send("POST " + std::string(path) +
                " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" +
                "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n");
    client.send(body);
    return client.receive().status;
  }

 private:
  static constexpr const char* kConfig =
      "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";
  Workers workers_{0};
  const std::vector<RuleSet> rules_;
  std::shared_ptr<ClusterCache> cache_;
  const Engines engines_;
  Metrics metrics_;
  Extender extender_;
  http::test::Running running_;
};

/// The first byte chooses among all routes that take a body: one that is new is among them.
void verb(std::string_view text) {
  static Service service;
  std::vector<std::string_view> paths;
  for (const Route& route : routes())
    if (route.body != Body::kEmpty) paths.push_back(route.path);
  if (text.empty()) return;
  const std::string_view path = paths[static_cast<unsigned char>(text.front()) % paths.size()];
  const std::string body = grown(text.substr(1), http::Limits::of_memory().body_bytes);
  {
    const Within within(path);
    const std::set<int> statuses = {200, 400, 404, 413, 503};
    const int status = service.ask(path, body);
    must(statuses.contains(status), "a call is answered", std::string(path) + ": " + std::to_string(status));
  }
  must(service.ask("/filter", R"({"Pod":{},"NodeNames":["n0"]})") == 200, "and the next one too", path);
}

/// A text as a file of a cluster, plain and packed.
void cluster(std::string_view text) {
  const std::string whole = grown(text, std::size_t{32} << 20);
  const Within within("a cluster");
  const auto read = read_cluster_text("f", whole);
  if (!read) check_error(read.error().message);
}

std::string packed(std::string_view text) {
  std::string out(::compressBound(static_cast<uLong>(text.size())) + 64, '\0');
  z_stream stream{};
  must(deflateInit2(&stream, 1, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK, "zlib starts");
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  must(deflate(&stream, Z_FINISH) == Z_STREAM_END, "it packs");
  out.resize(out.size() - stream.avail_out);
  deflateEnd(&stream);
  return out;
}

/// A file that unpacks to many times its size.
void bomb(std::string_view text) {
  const std::string once = packed(grown(text, std::size_t{8} << 20));
  std::string many;
  for (int i = 0; i < 32; ++i) many += once;
  const MemoryFile file(many);
  const Within within("a packed file");
  const std::string files[] = {file.name()};
  const auto read = read_cluster(files);
  if (!read) check_error(read.error().message);
}

void config(std::string_view text) {
  const std::string whole = grown(text, kMaxConfigBytes);
  const Within within("a configuration");
  const auto rules = load_rules("f", whole, Gates{});
  must(rules.has_value() || !rules.error().empty(), "an error says something");
}

constexpr Part kParts[] = {verb, cluster, bomb, config};

}  // namespace
}  // namespace winnow::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return winnow::fuzz::run_part(data, size, winnow::fuzz::kParts);
}
