// kube-scheduler's own file, as far as it says who is asked and what is still checked there.
#include "extender/config/scheduler_setup.h"

#include <doctest/doctest.h>

#include <string>

#include "cluster/rule/shared_args.h"

namespace winnow::scheduler_setup_test {
namespace {

constexpr std::string_view kHead =
    "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";

std::expected<SchedulerSetup, std::string> read(const std::string& text) {
  return read_scheduler_setup(std::string(kHead) + text);
}

TEST_SUITE("scheduler setup") {
  TEST_CASE("nothing said: a default profile, nobody asked") {
    const auto setup = read("");
    REQUIRE(setup);
    CHECK(setup->extenders.empty());
    REQUIRE(setup->profiles.size() == 1);
    const SchedulerProfile& profile = setup->profiles.front();
    CHECK(profile.scheduler_name == "default-scheduler");
    CHECK(profile.percentage == 0);
    CHECK(profile.min_candidate_percentage == 10);
    CHECK(profile.score_weights == 15);
    CHECK(profile.runs("NodeName", Point::kFilter));
    CHECK_FALSE(profile.runs("NodeName", Point::kScore));
  }

  TEST_CASE("an extender, with everything said and with nothing") {
    const auto setup = read(R"(
extenders:
- {urlPrefix: "http://h:1/", filterVerb: f, prioritizeVerb: p, preemptVerb: e, bindVerb: b, weight: 7,
   nodeCacheCapable: true, ignorable: true, httpTimeout: 1500ms, managedResources: [{name: example.com/x}]}
- {}
- {httpTimeout: 0s}
)");
    REQUIRE(setup);
    REQUIRE(setup->extenders.size() == 3);
    const ExtenderStanza& all = setup->extenders[0];
    CHECK(all.path == "extenders[0]");
    CHECK(all.url_prefix == "http://h:1/");
    CHECK(all.filter_verb == "f");
    CHECK(all.prioritize_verb == "p");
    CHECK(all.preempt_verb == "e");
    CHECK(all.bind_verb == "b");
    CHECK(all.weight == 7);
    CHECK(all.node_cache_capable);
    CHECK(all.ignorable);
    CHECK(all.timeout == std::chrono::milliseconds(1500));
    CHECK(all.managed_resources == std::vector<std::string>{"example.com/x"});
    const ExtenderStanza& none = setup->extenders[1];
    CHECK(none.path == "extenders[1]");
    CHECK_FALSE(none.node_cache_capable);
    CHECK(none.timeout == std::chrono::seconds(5));
    CHECK(setup->extenders[2].timeout == std::chrono::seconds(5));
  }

  TEST_CASE("a profile's percentage counts before the file's, 0 too") {
    const auto setup = read(R"(
percentageOfNodesToScore: 100
profiles: [{schedulerName: a}, {schedulerName: b, percentageOfNodesToScore: 30},
           {schedulerName: c, percentageOfNodesToScore: 0}]
)");
    REQUIRE(setup);
    REQUIRE(setup->profiles.size() == 3);
    CHECK(setup->profiles[0].percentage == 100);
    CHECK(setup->profiles[1].percentage == 30);
    CHECK(setup->profiles[2].percentage == 0);
    CHECK(setup->profiles[2].path == "profiles[2]");
  }

  TEST_CASE("plugins, weights and arguments") {
    const auto setup = read(R"(
profiles:
- plugins:
    filter: {disabled: [{name: NodePorts}]}
    score: {disabled: [{name: "*"}], enabled: [{name: ImageLocality, weight: 4}]}
  pluginConfig: [{name: DefaultPreemption, args: {minCandidateNodesPercentage: 100}}]
)");
    REQUIRE(setup);
    const SchedulerProfile& profile = setup->profiles.front();
    CHECK_FALSE(profile.runs("NodePorts", Point::kFilter));
    CHECK(profile.runs("NodePorts", Point::kPreFilter));
    CHECK(profile.score_weights == 4);
    CHECK(profile.min_candidate_percentage == 100);
  }

  TEST_CASE("what kube-scheduler refuses is refused") {
    CHECK(read("nope: 1").error().contains("unknown field"));
    CHECK(
        read("profiles: [{plugins: {queueSort: {disabled: [{name: '*'}]}}}]").error().contains("queueSort"));
    for (const char* const policy : {"kind: Policy\napiVersion: v1\n", R"({"predicates": []})"})
      CHECK(read_scheduler_setup(policy).error() ==
            "a Policy, which Winnow takes for its rules (--config), and kube-scheduler not since 1.23; "
            "expected "
            "the KubeSchedulerConfiguration that kube-scheduler's --config names");
    CHECK(read_scheduler_setup("kind: NodeAffinityArgs\napiVersion: kubescheduler.config.k8s.io/v1\n")
              .error() == "kind: \"NodeAffinityArgs\" is not KubeSchedulerConfiguration");
    for (const std::string version : {"v1beta3", "v1beta2", "v1beta1", "v1alpha2", "v1alpha1"})
      CHECK(
          read_scheduler_setup("kind: KubeSchedulerConfiguration\napiVersion: kubescheduler.config.k8s.io/" +
                               version + "\nhealthzBindAddress: x\n")
              .error() ==
          "apiVersion: \"kubescheduler.config.k8s.io/" + version +
              "\" is not served any more: change it to kubescheduler.config.k8s.io/v1; healthzBindAddress: "
              "remove it, the flags --bind-address and --secure-port say that");
  }
}

}  // namespace
}  // namespace winnow::scheduler_setup_test
