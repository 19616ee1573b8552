// Bodies that are dear for their bytes: a call's work grows with the size of its body, and not with the
// square.
//
// Each body is made in two sizes. The larger one has kTimes as many parts, so it may take about kTimes as
// long. A walk over all parts for each part would take kTimes * kTimes as long.
#include <doctest/doctest.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <random>

#include "tests/extender/service/answers.h"
#include "tests/extender/service/running_server.h"

namespace winnow::test {
namespace {

constexpr int kTimes = 16;
/// Between kTimes and its square. A slow machine is slow for both sizes.
constexpr double kAllowed = 128;

std::string list_of(int count, const std::function<std::string(int)>& part) {
  std::string list;
  for (int i = 0; i < count; ++i) list += (i == 0 ? "" : ",") + part(i);
  return list;
}

std::string number(int i) { return std::to_string(i); }

/// A service of one generation, called without a socket.
struct DirectService {
  explicit DirectService(RuleSet set, ExtenderOptions options = {})
      : rules{std::move(set)},
        cache({rules.front().accounting, rules.front().exact_zones, rules.front().generation}),
        extender(active_config_of(cache, engines, metrics), metrics, std::move(options)) {
    cache.write([](State& state) {
      for (int i = 0; i < 4; ++i)
        state.set_node(node("n" + number(i))
                           .cpu("8")
                           .memory("32Gi")
                           .pods("110")
                           .label("zone", "z" + number(i % 2))
                           .condition("Ready", "True"));
      state.set_pod(pod("there").label("app", "there").cpu("1").host_port(80).on("n0"));
    });
  }

  http::Response post(const std::string& path, const std::string& body) {
    http::Request request;
    request.content_type = "application/json";
    request.method = "POST";
    request.path = path;
    request.body = body;
    http::Response response;
    extender.handle(request, response);
    return response;
  }

  std::vector<RuleSet> rules;
  Workers workers{0};
  Engines engines{rules, workers};
  Metrics metrics{"", ""};
  ClusterCache cache;
  Extender extender;
};

ExtenderOptions patient() {
  ExtenderOptions options;
  options.request_timeout = std::chrono::minutes(10);
  return options;
}

/// The processor time of the call, which runs on this thread. Other programs do not count.
double seconds(DirectService& service, const std::string& path, const std::string& body) {
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  const double start = now();
  const http::Response response = service.post(path, body);
  const double took = now() - start;
  CHECK_MESSAGE((response.status == 200 || response.status == 400), response.body);
  return took;
}

/// How many times as long the larger body takes. Of each size the shortest time counts.
double growth(DirectService& service, const std::string& path, const std::string& small,
              const std::string& large) {
  double of_small = 1e9, of_large = 1e9;
  for (int i = 0; i < 5; ++i) of_small = std::min(of_small, seconds(service, path, small));
  for (int i = 0; i < 2; ++i) of_large = std::min(of_large, seconds(service, path, large));
  return of_large / std::max(of_small, 2e-4);
}

struct DearBody {
  const char* sentence;
  std::function<std::string(int parts)> spec;  ///< Of the pod.
  int parts;                                   ///< Of the smaller size.
};

std::string pod_affinity(const char* kind, const std::string& terms) {
  return std::string(R"("affinity":{")") + kind + R"(":{"requiredDuringSchedulingIgnoredDuringExecution":[)" +
         terms + "]}}";
}
std::string term(const std::string& label, const std::string& key) {
  return R"({"labelSelector":{"matchLabels":{")" + label + R"(":"v"}},"topologyKey":")" + key + "\"}";
}
std::string node_terms(const std::string& terms) {
  return R"("affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[)" +
         terms + "]}}}";
}
std::string preferred(const std::string& expression) {
  return R"("affinity":{"nodeAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":1,)"
         R"("preference":{"matchExpressions":[)" +
         expression + "]}}]}}";
}
std::string names(int count, int from) {
  return list_of(count, [from](int i) { return "\"n" + number(from + i) + '"'; });
}

const DearBody kBodies[] = {
    {"required affinity terms with one key",
     [](int n) {
       return pod_affinity("podAffinity", list_of(n, [](int i) { return term("l" + number(i), "zone"); }));
     },
     400},
    {"required affinity terms with a key each",
     [](int n) {
       return pod_affinity("podAffinity",
                           list_of(n, [](int i) { return term("l" + number(i), "k" + number(i)); }));
     },
     400},
    {"anti-affinity terms with a key each",
     [](int n) {
       return pod_affinity("podAntiAffinity",
                           list_of(n, [](int i) { return term("l" + number(i), "k" + number(i)); }));
     },
     400},
    {"sidecars with a resource each",
     [](int n) {
       return R"("initContainers":[)" +
              list_of(n,
                      [](int i) {
                        return R"({"restartPolicy":"Always","resources":{"requests":{"e.com/r)" + number(i) +
                               R"(":"1"}}})";
                      }) +
              "]";
     },
     400},
    {"containers with a resource each, the last by name first",
     [](int n) {
       return R"("containers":[)" +
              list_of(n,
                      [n](int i) {
                        return R"({"resources":{"requests":{"e.com/r)" + number(100'000 + n - i) +
                               R"(":"1"}}})";
                      }) +
              "]";
     },
     1000},
    {"EBS volumes",
     [](int n) {
       return R"("volumes":[)" +
              list_of(
                  n, [](int i) { return R"({"awsElasticBlockStore":{"volumeID":"v)" + number(i) + "\"}}"; }) +
              "]";
     },
     1000},
    {"Azure disks",
     [](int n) {
       return R"("volumes":[)" +
              list_of(n,
                      [](int i) {
                        return R"({"azureDisk":{"diskName":"d)" + number(i) + R"(","diskURI":"/u/)" +
                               number(i) + "\"}}";
                      }) +
              "]";
     },
     1000},
    {"one RBD image with many monitors",
     [](int n) {
       return R"("volumes":[)" +
              list_of(n,
                      [](int i) {
                        return R"({"rbd":{"image":"i","pool":"p","monitors":["m)" + number(i) + "\"]}}";
                      }) +
              "]";
     },
     1000},
    {"two fields that name nodes",
     [](int n) {
       const auto field = [n](int from) {
         return R"({"key":"metadata.name","operator":"In","values":[)" + names(n, from) + "]}";
       };
       return node_terms(R"({"matchFields":[)" + field(0) + ',' + field(n) + "]}");
     },
     1000},
    {"values that no label may have",
     [](int n) {
       return preferred(R"({"key":"a","operator":"In","values":[)" +
                        list_of(n, [](int i) { return "\"-" + number(i) + '"'; }) + "]}");
     },
     500},
    {"an operator that JSON escapes",
     [](int n) {
       return preferred(R"({"key":"a","operator":")" + std::string(static_cast<std::size_t>(n), '<') + "\"}");
     },
     20'000},
    {"spread constraints with a key each",
     [](int n) {
       return R"("topologySpreadConstraints":[)" +
              list_of(n,
                      [](int i) {
                        return R"({"maxSkew":1,"whenUnsatisfiable":"ScheduleAnyway","topologyKey":"k)" +
                               number(i) + "\"}";
                      }) +
              "]";
     },
     400},
    {"host ports",
     [](int n) {
       return R"("containers":[{"ports":[)" +
              list_of(n, [](int i) { return R"({"hostPort":)" + number(i + 1) + "}"; }) + "]}]";
     },
     2000},
};

std::string body_of(const DearBody& body, int parts) {
  return args_with_names({"n0", "n1", "n2", "n3"},
                         R"({"metadata":{"name":"p","uid":"u"},"spec":{)" + body.spec(parts) + "}}");
}

TEST_CASE("the work for a pod grows with its size") {
  for (const bool today : {false, true}) {
    DirectService service(today ? todays_rule_set() : default_rule_set(), patient());
    for (const DearBody& body : kBodies)
      for (const char* path : {"/filter", "/prioritize"}) {
        CAPTURE(body.sentence);
        CAPTURE(today);
        CAPTURE(path);
        CHECK(growth(service, path, body_of(body, body.parts), body_of(body, kTimes * body.parts)) <
              kAllowed);
      }
  }
}

std::string full_nodes(int count, const std::function<std::string(int)>& rest) {
  return R"({"Pod":{"metadata":{"name":"p"},"spec":{"tolerations":[)" +
         list_of(count,
                 [](int i) {
                   return R"({"key":"t)" + number(i) + R"(","operator":"Exists","effect":"NoSchedule"})";
                 }) +
         R"(]}},"Nodes":{"items":[)" +
         list_of(count,
                 [&](int i) { return R"({"metadata":{"name":"m)" + number(i) + "\"}," + rest(i) + "}"; }) +
         "]}}";
}

TEST_CASE("the work for full nodes grows with their size") {
  DirectService service(todays_rule_set(), patient());
  const auto taints = [](int n) {
    return full_nodes(n, [](int i) {
      return R"("spec":{"taints":[{"key":"t)" + number(i) + R"(","effect":"NoSchedule"}]})";
    });
  };
  CHECK(growth(service, "/filter", taints(250), taints(kTimes * 250)) < kAllowed);
  const auto images = [](int n) {
    return R"({"Pod":{},"Nodes":{"items":[{"metadata":{"name":"m"},"status":{"images":[{"sizeBytes":1,"names":[)" +
           list_of(n, [](int i) { return "\"i" + number(i) + '"'; }) + "]}]}}]}}";
  };
  CHECK(growth(service, "/filter", images(4000), images(kTimes * 4000)) < kAllowed);
}

TEST_CASE("an object that no API server would store is refused") {
  DirectService service(todays_rule_set());
  const std::string huge(std::size_t{8} << 20, 'x');
  const http::Response pod = service.post("/filter", args_with_names({"n0"}, R"({"a":")" + huge + "\"}"));
  CHECK(pod.status == 400);
  CHECK(pod.body ==
        "bad request body: Pod: has 8388616 bytes; at most 8388608 are read, for an API server stores at "
        "most 1.5 "
        "MB\n");
  const http::Response node = service.post(
      "/filter", R"({"Pod":{},"Nodes":{"items":[{"metadata":{"name":"m","a":")" + huge + "\"}}]}}");
  CHECK(node.status == 400);
  CHECK(node.body.starts_with("bad request body: Nodes.items[0]: has 8388"));
  const std::string long_name(1025, 'x');
  const http::Response named =
      service.post("/filter", args_with_names({"n0"}, R"({"metadata":{"uid":")" + long_name + "\"}}"));
  CHECK(named.status == 400);
  CHECK(named.body == "bad request body: Pod: metadata.uid: has 1025 bytes; expected at most 1024\n");
  CHECK(service.post("/preempt", R"({"Pod":{"a":")" + huge + R"("},"NodeNameToMetaVictims":{}})").status ==
        400);
}

// See keyed_hash_test.cc. Here both halves must be printable, so first halves are drawn until the second one
// is.
std::vector<std::string> names_that_collided(std::size_t count) {
  constexpr std::uint64_t kFactor = 0xc6a4a7935bd1e995;
  std::uint64_t inverse = 1;
  for (int i = 0; i < 6; ++i) inverse *= 2 - kFactor * inverse;
  const auto fold = [](std::uint64_t bits) { return bits ^ bits >> 47; };
  std::mt19937_64 random(1);
  std::vector<std::string> texts;
  while (texts.size() < count) {
    std::uint64_t first = 0;
    for (std::uint64_t bits = random(), i = 0; i < 8; ++i, bits >>= 4) first = first << 8 | ('a' + bits % 16);
    const std::uint64_t mixed = ((0xc70f6907 ^ (16 * kFactor)) ^ fold(first * kFactor) * kFactor) * kFactor;
    const std::uint64_t second = fold(mixed * inverse) * inverse;
    bool is_plain = true;
    for (int i = 0; i < 8 && is_plain; ++i) {
      const std::uint64_t c = second >> (8 * i) & 0xff;
      is_plain = c > 0x20 && c < 0x7f && c != '"' && c != '\\';
    }
    if (!is_plain) continue;
    std::string text(16, '\0');
    std::memcpy(text.data(), &first, 8);
    std::memcpy(text.data() + 8, &second, 8);
    texts.push_back(std::move(text));
  }
  return texts;
}

TEST_CASE("node names that collide in the standard library's hash cost as much as others") {
  DirectService service(todays_rule_set(), patient());
  const std::vector<std::string> colliding = names_that_collided(4000);
  REQUIRE(std::hash<std::string>{}(colliding[0]) == std::hash<std::string>{}(colliding[1]));
  std::vector<std::string> usual;
  for (int i = 0; i < 4000; ++i) usual.push_back("node-in-europe-" + number(i));
  CHECK(growth(service, "/filter", args_with_names(usual), args_with_names(colliding)) < 10);
}

TEST_CASE("the reasons of a node do not grow with the pod") {
  for (const bool today : {false, true}) {
    CAPTURE(today);
    DirectService service(today ? todays_rule_set() : default_rule_set());
    const auto pod = [](int resources, const std::string& prefix) {
      return R"({"metadata":{"name":"p"},"spec":{"containers":[{"resources":{"requests":{)" +
             list_of(resources, [&](int i) { return "\"" + prefix + number(100 + i) + "\":\"1\""; }) +
             "}}}]}}";
    };
    const FilterResult many =
        read_filter(service.post("/filter", args_with_names({"n1"}, pod(500, "e.com/r"))).body);
    const std::string& text = many.failed.contains("n1") ? many.failed.at("n1") : many.unresolvable.at("n1");
    CAPTURE(text);
    CHECK(text.starts_with("Insufficient e.com/r100, Insufficient e.com/r101, "));
    CHECK(text.contains("Insufficient e.com/r131, and 468 more reasons"));
    // So few that a verdict has a bit for each.
    const FilterResult bits =
        read_filter(service.post("/filter", args_with_names({"n1"}, pod(50, "e.com/r"))).body);
    CHECK((bits.failed.contains("n1") ? bits.failed : bits.unresolvable)
              .at("n1")
              .ends_with("and 18 more reasons"));
    // All reasons of a pod like those that there are.
    const FilterResult few =
        read_filter(service.post("/filter", args_with_names({"n1"}, pod(20, "e.com/r"))).body);
    CHECK((few.failed.contains("n1") ? few.failed : few.unresolvable)
              .at("n1")
              .ends_with("Insufficient e.com/r119"));
    // Long names count by their bytes.
    const std::string prefix = std::string(200, 'x') + ".com/r";
    const FilterResult wide =
        read_filter(service.post("/filter", args_with_names({"n1"}, pod(50, prefix))).body);
    CHECK((wide.failed.contains("n1") ? wide.failed : wide.unresolvable).at("n1").size() < 4500);
    const std::string explained = service.post("/explain", args_with_names({"n1"}, pod(500, "e.com/r"))).body;
    CHECK(explained.contains("\"and 468 more reasons\""));
    CHECK(explained.size() < 20'000);
  }
}

}  // namespace
}  // namespace winnow::test
