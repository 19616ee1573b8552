// What is told of a pod that is looked up, whatever the API servers do.
#include "cluster/client/servers/pod_look_up.h"

#include <doctest/doctest.h>

#include <chrono>
#include <deque>
#include <string>

#include "cluster/client/servers/api_servers.h"
#include "tests/cluster/client/servers/faulty_servers.h"

namespace winnow::live {
namespace {

using test::FakeClock;
using test::FaultyServers;

/// Servers that list one pod, or none.
class ListingServers : public FaultyServers {
 public:
  explicit ListingServers(FakeClock& clock) : FaultyServers(clock) {}

  std::string pod;   ///< The JSON of the list's items.
  std::string path;  ///< Of the last request.

 protected:
  ApiResponse carry_out(const ApiRequest& request) override {
    path = request.path;
    return {200, R"({"kind":"PodList","metadata":{"resourceVersion":"77"},"items":[)" + pod + "]}", {}};
  }
};

struct LookUpBed {
  FakeClock clock;
  ListingServers api{clock};
  ApiServers servers{{"https://one", "https://two"}, clock};
  PodLookUp look_up{servers, api, clock};

  PodLookedUp ask(const std::string& name = "web") {
    return look_up.look_up("default", name, "u1", clock.now() + std::chrono::seconds(2), {});
  }
};

TEST_SUITE("pod_look_up") {
  TEST_CASE("a pod is bound, waits, or is gone") {
    struct Row {
      const char* sentence;
      std::string pod;
      PodFound found;
      std::string node;
    };
    const Row rows[] = {
        {"it waits", R"({"metadata":{"name":"web","uid":"u1"}})", PodFound::kUnbound, ""},
        {"it is bound", R"({"metadata":{"name":"web","uid":"u1"},"spec":{"nodeName":"a"}})", PodFound::kBound,
         "a"},
        {"there is none", "", PodFound::kGone, ""},
        {"its name is another pod's", R"({"metadata":{"name":"web","uid":"u2"},"spec":{"nodeName":"a"}})",
         PodFound::kGone, ""},
        {"it has ended",
         R"({"metadata":{"name":"web","uid":"u1"},"spec":{"nodeName":"a"},"status":{"phase":"Succeeded"}})",
         PodFound::kGone, ""},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      LookUpBed bed;
      bed.api.pod = row.pod;
      const PodLookedUp result = bed.ask();
      CHECK(result.found == row.found);
      CHECK(result.node == row.node);
      CHECK(result.resource_version == "77");
      CHECK(result.error == "");
      CHECK(result.pod.has_value() == row.pod.contains("u1"));
    }
  }

  TEST_CASE("it is listed by its name, and a name cannot be more than that") {
    LookUpBed bed;
    bed.ask();
    CHECK(bed.api.path == "/api/v1/namespaces/default/pods?fieldSelector=metadata.name%3Dweb");
    bed.ask("a,status.phase=b/c");
    CHECK(bed.api.path ==
          "/api/v1/namespaces/default/pods?fieldSelector=metadata.name%3Da%5C%2Cstatus.phase%5C%3Db%2Fc");
  }

  TEST_CASE("servers in trouble are tried again and elsewhere, and nothing is told if none answers") {
    struct Row {
      const char* sentence;
      std::deque<FaultyServers::Fault> faults;
      bool always_down;
      PodFound found;
      std::string error;
    };
    const Row rows[] = {
        {"one server is away", {FaultyServers::Fault::kUnreachable}, false, PodFound::kGone, ""},
        {"the answer is lost, then a server in trouble",
         {FaultyServers::Fault::kAnswerLost, FaultyServers::Fault::k500},
         false,
         PodFound::kGone,
         ""},
        {"a token that has just run out", {FaultyServers::Fault::k401}, false, PodFound::kGone, ""},
        {"no server answers", {}, true, PodFound::kUnknown, "no luck"},
        {"a look that is refused", {FaultyServers::Fault::k403}, false, PodFound::kUnknown, "is forbidden"},
        {"a right that is missing everywhere",
         {FaultyServers::Fault::kNoRight, FaultyServers::Fault::kNoRight},
         false,
         PodFound::kUnknown,
         "cannot"},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      LookUpBed bed;
      bed.api.faults = row.faults;
      bed.api.always_down = row.always_down;
      const Clock::Time before = bed.clock.now();
      const PodLookedUp result = bed.ask();
      CHECK(result.found == row.found);
      CHECK(result.error.contains(row.error));
      CHECK(result.error.empty() == row.error.empty());
      CHECK(bed.clock.now() - before <= std::chrono::seconds(2));
    }
  }

  TEST_CASE("an answer that is no list of one pod tells nothing") {
    for (const std::string pods : {"{}, {}", R"({"spec": 7})"}) {
      CAPTURE(pods);
      LookUpBed bed;
      bed.api.pod = pods;
      const PodLookedUp result = bed.ask();
      CHECK(result.found == PodFound::kUnknown);
      CHECK(result.error == "the answer is no PodList of one pod");
    }
  }
}

}  // namespace
}  // namespace winnow::live
