// A recording that can be handed to a stranger: no name of the cluster is in it, and the choices are the
// same.
#include "extender/what_if/replay/anonymize.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>

#include "cluster/text/field_result.h"
#include "cluster/text/gzip_lines.h"
#include "extender/config/rules.h"
#include "extender/what_if/replay/anonymize_allowlist.h"
#include "extender/what_if/replay/renaming.h"
#include "tests/extender/what_if/replay/recorded_service.h"

namespace winnow::test {
namespace {

using live::test::TempFolder;

/// All text of a recording.
std::string text_of(const std::string& dir) {
  std::string text;
  for (const auto& entry : std::filesystem::directory_iterator(dir)) {
    auto reader = GzipReader::open(entry.path().string()).value();
    for (std::string line; reader->next(line) == GzipReader::Next::kLine;) text += line + '\n';
  }
  return text;
}

Anonymized anonymize_to(const std::string& from, const std::string& to) {
  auto recording = RecordingReader::open(from).value();
  Workers workers(0);
  return anonymize(from, recording, to, workers, nullptr);
}

/// Pods of a shop, with terms, on nodes of two zones.
void record_shop(const std::string& dir, AnswerMode answer, const std::string& config) {
  RecordedService service(dir, {.answer = answer, .config = config});
  for (const char* const name : {"worker-zulu.corp.example", "worker-alfa.corp.example", "gpu-7"})
    service.set_node(
        recorded_node(name, 2,
                      std::string(R"(,"corp.example/pool":"tenant-blue","topology.kubernetes.io/zone":")") +
                          (std::string(name) == "gpu-7" ? "berlin" : "madrid") + R"(","disk":"5")"));
  const std::string terms =
      R"(,"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[)"
      R"({"matchExpressions":[{"key":"corp.example/pool","operator":"In","values":["tenant-blue"]},)"
      R"({"key":"disk","operator":"Gt","values":["4"]}]}]}},"podAntiAffinity":{)"
      R"("preferredDuringSchedulingIgnoredDuringExecution":[{"weight":5,"podAffinityTerm":{"labelSelector":)"
      R"({"matchLabels":{"app":"web"}},"topologyKey":"topology.kubernetes.io/zone"}}]}},)"
      R"("tolerations":[{"key":"corp.example/dedicated","operator":"Exists"}])";
  const std::vector<std::string> nodes = {"worker-zulu.corp.example", "gpu-7", "worker-alfa.corp.example",
                                          "not-there"};
  for (int i = 0; i < 8; ++i) {
    const std::string pod = recorded_pod("checkout-" + std::to_string(i), 10 + i, terms);
    service.set_pod(pod);
    CHECK(service.post("/filter", args_with_names(nodes, pod)).status == 200);
    CHECK(service.post("/prioritize", args_with_names(nodes, pod)).status == 200);
    CHECK(service.post("/explain", R"({"Namespace":"shop","Name":"checkout-0"})").status == 200);
    if (i % 2 == 0)
      service.set_pod(recorded_pod("checkout-" + std::to_string(i), 30 + i, R"(,"nodeName":"gpu-7")"));
  }
  CHECK(service.post("/filter", "secret-text").status == 400);
}

}  // namespace

TEST_CASE("without names the choices are the same, and a replay finds no difference") {
  for (const AnswerMode answer : {AnswerMode::kComplete, AnswerMode::kBest, AnswerMode::kOne})
    for (const char* const config : {"", kTodaysConfig}) {
      CAPTURE(static_cast<int>(answer));
      CAPTURE(config);
      const TempFolder folder;
      record_shop(folder.path("r"), answer, config);
      const Anonymized result = anonymize_to(folder.path("r"), folder.path("a"));
      std::string report;
      append_anonymized(report, result, /*json=*/false);
      CAPTURE(report);
      CHECK(result.replay.error == "");
      CHECK(result.changed_choices == 0);
      CHECK(result.replay.equal == 16);
      check_equal(play(folder.path("a")), 24);
      const std::string text = text_of(folder.path("a"));
      for (const char* const name : {"worker", "corp", "example", "gpu-7", "tenant", "berlin", "madrid",
                                     "shop", "checkout", "web", "registry", "secret", "not-there"}) {
        CAPTURE(name);
        CHECK(!text.contains(name));
      }
      CHECK(text.contains("topology.kubernetes.io/zone"));

      CHECK(anonymize_to(folder.path("r"), folder.path("b")).replay.error == "");
      CHECK(text_of(folder.path("b")) == text);
    }
}

TEST_CASE("devices and their claims are recorded and played, and have no names in the copy") {
  const TempFolder folder;
  {
    RecordedService service(folder.path("r"), {.answer = AnswerMode::kBest, .config = kTodaysConfig});
    service.set_node(recorded_node("worker", 4, ""));
    const auto tell = [&](ResourceKind kind, const std::string& json) {
      const auto sink = live::make_cache_sink(kind, service.cache(), [](auto, auto) {});
      sink->begin_list();
      sink->end_list("1");
      sink->set(json);
      sink->flush();
    };
    const std::string meta =
        R"({"metadata":{"name":"bank","namespace":"shop","uid":"bank","resourceVersion":"5"},)";
    const std::string spec =
        R"({"devices":{"requests":[{"name":"bank","exactly":{"deviceClassName":"bank","selectors":[{"cel":)"
        R"({"expression":"device.attributes['bank.com'].vault == 'bank'"}}]}}]}})";
    tell(kind_of<ResourceSlice>,
         meta + R"("spec":{"driver":"bank.com","pool":{"name":"bank"},"nodeName":"worker",)"
                R"("devices":[{"name":"bank","attributes":{"vault":{"string":"bank"}}}]}})");
    tell(kind_of<ResourceClaim>,
         meta + R"("spec":)" + spec + R"(,"status":{"allocation":{"devices":{"results":[{"request":"bank",)" +
             R"("driver":"bank.com","pool":"bank","device":"bank"}]}},"reservedFor":[{"resource":"pods",)" +
             R"("name":"bank","uid":"bank"}]}})");
    tell(kind_of<ResourceClaimTemplate>, meta + R"("spec":{"spec":)" + spec + "}}");
    tell(kind_of<DeviceClass>,
         meta + R"("spec":{"selectors":[{"cel":{"expression":"'bank' in ['bank']"}}]}})");
    tell(kind_of<DeviceTaintRule>, meta + R"("spec":{"deviceSelector":{"driver":"bank.com"},)"
                                          R"("taint":{"key":"bank","value":"bank","effect":"NoSchedule"}}})");
    const std::string pod =
        recorded_pod("checkout", 10, R"(,"resourceClaims":[{"name":"bank","resourceClaimName":"bank"}])");
    service.set_pod(pod);
    CHECK(service.post("/filter", args_with_names({"worker"}, pod)).status == 200);
    CHECK(service.cache().read()->devices.claims().size() == 1);
    // A claim that is on its way.
    tell(kind_of<ResourceSlice>,
         R"({"metadata":{"name":"till","uid":"till","resourceVersion":"6"},"spec":{"driver":"till.com",)"
         R"("pool":{"name":"till","generation":1,"resourceSliceCount":1},"nodeName":"worker",)"
         R"("devices":[{"name":"till"}]}})");
    tell(kind_of<DeviceClass>,
         R"({"metadata":{"name":"till","uid":"till","resourceVersion":"6"},"spec":{}})");
    tell(kind_of<DeviceTaintRule>,
         R"({"metadata":{"name":"till","uid":"till","resourceVersion":"6"},"spec":{)"
         R"("taint":{"key":"k","effect":"None"}}})");
    tell(kind_of<ResourceClaim>,
         R"({"metadata":{"name":"till","namespace":"shop","uid":"till","resourceVersion":"6"},"spec":{)"
         R"("devices":{"requests":[{"name":"till","exactly":{"deviceClassName":"till",)"
         R"("allocationMode":"ExactCount","count":1}}]}}})");
    const std::string paying =
        recorded_pod("checkout-2", 11, R"(,"resourceClaims":[{"name":"till","resourceClaimName":"till"}])");
    service.set_pod(paying);
    CHECK(service.post("/filter", args_with_names({"worker"}, paying)).body.contains("worker"));
    CHECK(service.cache().read()->devices.assumed("till") != nullptr);
  }
  check_equal(play(folder.path("r")), 2);
  CHECK(text_of(folder.path("r")).contains("\"claims\":{\"till\""));
  CHECK(text_of(folder.path("r")).contains("vault"));
  CHECK(anonymize_to(folder.path("r"), folder.path("a")).replay.error == "");
  const std::string text = text_of(folder.path("a"));
  for (const char* const name : {"bank", "vault", "worker", "checkout", "till"}) {
    CAPTURE(name);
    CHECK(!text.contains(name));
  }
  for (const char* const kept :
       {"device.attributes", "ResourceSlice", "ResourceClaimTemplate", "DeviceTaintRule", "\"claims\""}) {
    CAPTURE(kept);
    CHECK(text.contains(kept));
  }
  check_equal(play(folder.path("a")), 2);
}

TEST_CASE("a recording is not written over, nor among the files of another") {
  const TempFolder folder;
  record_shop(folder.path("r"), AnswerMode::kComplete, "");
  std::filesystem::create_directory(folder.path("other"));
  folder.write("other/recording-000007.jsonl.gz", "of another");
  for (const char* const to : {"r", "other"}) {
    CAPTURE(to);
    CHECK(anonymize_to(folder.path("r"), folder.path(to)).replay.error ==
          folder.path(to) + ": holds a recording already; expected a directory without one");
  }
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path("other")), {}) == 1);
  std::filesystem::create_directory(folder.path("empty"));
  CHECK(anonymize_to(folder.path("r"), folder.path("empty")).replay.error == "");
}

TEST_CASE("what a killed process has left is copied up to where it is cut, and the copy plays") {
  const TempFolder folder;
  record_shop(folder.path("r"), AnswerMode::kComplete, "");
  record_shop(folder.path("r"), AnswerMode::kOne, kTodaysConfig);
  const std::string first = folder.path("r/recording-000001.jsonl.gz");
  std::filesystem::resize_file(first, std::filesystem::file_size(first) - 30);
  const Anonymized result = anonymize_to(folder.path("r"), folder.path("a"));
  CHECK(result.replay.error == "");
  CHECK(result.replay.files == 2);
  CHECK(result.changed_choices == 0);
  const ReplayResult played = play(folder.path("a"));
  check_equal(played, played.equal);
  CHECK(played.equal > 24);
  REQUIRE(played.notes.size() == 1);
  CHECK(
      played.notes[0].ends_with("recording-000001.jsonl.gz: the recording had ended: the file is cut short"));
}

TEST_CASE("what stays of an object, and what is replaced") {
  struct Row {
    std::string sentence, json, expected;
  };
  const Row rows[] = {
      {"labels: keys of Kubernetes stay, numbers too",
       R"({"metadata":{"labels":{"kubernetes.io/os":"linux","node-role.kubernetes.io/bank":"","a":"7"}}})",
       R"({"metadata":{"labels":{"kubernetes.io/os":"linux","node-role.kubernetes.io/x1":"","x0":"7"}}})"},
      {"amounts stay; resources of others are renamed",
       R"({"requests":{"cpu":"2","nvidia.com/gpu":1,"hugepages-2Mi":"4Mi"}})",
       R"({"requests":{"cpu":"2","x1/x0":1,"hugepages-2Mi":"4Mi"}})"},
      {"an image keeps its form", R"({"image":"a/b:1.2","names":["a/b@sha256:0a","c"]})",
       R"({"image":"x2/x3:x1","names":["x2/x3@sha256:x0","x4"]})"},
      {"a random UID stays", R"({"uid":"9af1c2d3-0000-4000-8000-00000000000a","name":"n"})",
       R"({"uid":"9af1c2d3-0000-4000-8000-00000000000a","name":"x0"})"},
      {"free text goes",
       R"({"message":"disk of bank","managedFields":[{"manager":"m"}],"env":[{"name":"K"}]})", "{}"},
      {"annotations that nobody reads go",
       R"({"annotations":{"kubectl.kubernetes.io/last":"x","volume.kubernetes.io/selected-node":"n"}})",
       R"({"annotations":{"volume.kubernetes.io/selected-node":"x0"}})"},
      {"keys that nobody reads go", R"({"a.b/c":1,"bank":"b","priority":2})", R"({"priority":2})"},
      {"the order stays", R"({"values":["b","c","a"]})", R"({"values":["x1","x2","x0"]})"},
      {"a selector of labels, and one of expressions",
       R"({"selector":{"app":"w"},"spec":{"selector":{"matchLabels":{"app":"w"}}}})",
       R"({"selector":{"x0":"x1"},"spec":{"selector":{"matchLabels":{"x0":"x1"}}}})"},
      {"types of conditions that rules read stay",
       R"({"conditions":[{"type":"Ready","status":"True"},{"type":"bank.com/gate","status":"True"},)"
       R"({"type":"BankReady","reason":"BankIsUp"}],"readinessGates":[{"conditionType":"bank.com/gate"}]})",
       R"({"conditions":[{"type":"Ready","status":"True"},{"type":"x2/x3","status":"True"},)"
       R"({"type":"x1","reason":"x0"}]})"},
      {"kinds and versions of others are replaced",
       R"({"ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet"},)"
       R"({"apiVersion":"ml.bank.com/v1beta2",)"
       R"("kind":"BankJob"},{"apiVersion":"v1","kind":"Node"},{"apiVersion":"bank.k8s.io/v1","kind":"Job"}],)"
       R"("dataSourceRef":{"apiGroup":"bank.com","kind":"BankDump"}})",
       R"({"ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet"},{"apiVersion":"x2/v1beta2",)"
       R"("kind":"x0"},{"apiVersion":"v1","kind":"Node"},{"apiVersion":"x1.k8s.io/v1","kind":"Job"}]})"},
      {"the prefix of a resource stays",
       R"({"allocatable":{"attachable-volumes-csi-bank.com":3,"attachable-volumes-aws-ebs":1,)"
       R"("requests.bank.com/x":1,"limits.cpu":1,"hugepages-bank":1,"attachable-volumes-bank":1},)"
       R"("drivers":[{"name":"bank.com"}]})",
       R"({"allocatable":{"attachable-volumes-csi-x1":3,"attachable-volumes-aws-ebs":1,)"
       R"("requests.x1/x2":1,"limits.cpu":1,"hugepages-x0":1,"attachable-volumes-x0":1},)"
       R"("drivers":[{"name":"x1"}]})"},
      {"a driver and a domain are known as a whole",
       R"({"driver":"ebs.csi.aws.com","drivers":[{"name":"bank.csi.aws.com"}],)"
       R"("labels":{"topology.ebs.csi.aws.com/zone":"z","bank.kubernetes.io/zone":"z"}})",
       R"({"driver":"ebs.csi.aws.com","drivers":[{"name":"x1"}],)"
       R"("labels":{"topology.ebs.csi.aws.com/zone":"x2","x0.kubernetes.io/zone":"x2"}})"},
      {"keys of maps are names, or go",
       R"({"status":{"disruptedPods":{"bank":"2026-01-01T00:00:00Z"}},)"
       R"("volumes":[{"flexVolume":{"driver":"d","options":{"bank":"b"}}}]})",
       R"({"status":{"disruptedPods":{"x0":"2026-01-01T00:00:00Z"}},"volumes":[{}]})"},
      {"a LimitRange keeps its types, and a capacity its amount",
       R"({"spec":{"limits":[{"type":"Container","max":{"cpu":"2"}}]},"capacity":"1Gi",)"
       R"("maximumVolumeSize":"2Gi"})",
       R"({"spec":{"limits":[{"type":"Container","max":{"cpu":"2"}}]},"capacity":"1Gi",)"
       R"("maximumVolumeSize":"2Gi"})"},
      {"a RuntimeClass keeps the amounts of its overhead, and a pod too",
       R"({"kind":"RuntimeClass","apiVersion":"node.k8s.io/v1","metadata":{"name":"bank"},)"
       R"("handler":"bank-vm","overhead":{"podFixed":)"
       R"({"cpu":"250m","bank.com/gpu":"1"}},"scheduling":{"nodeSelector":{"bank.com/vm":"yes"},"tolerations":)"
       R"([{"key":"bank","operator":"Exists"}]},"spec":{"overhead":{"cpu":"250m"}}})",
       R"({"kind":"RuntimeClass","apiVersion":"node.k8s.io/v1","metadata":{"name":"x0"},"overhead":{"podFixed":)"
       R"({"cpu":"250m","x1/x2":"1"}},"scheduling":{"nodeSelector":{"x1/x3":"yes"},"tolerations":)"
       R"([{"key":"x0","operator":"Exists"}]},"spec":{"overhead":{"cpu":"250m"}}})"},
      {"a class of devices and the resource by its name are one",
       R"({"kind":"DeviceClass","apiVersion":"resource.k8s.io/v1","metadata":{"name":"bank"},)"
       R"("spec":{"extendedResourceName":"bank.com/gpu"},)"
       R"("requests":{"bank.com/gpu":"1","deviceclass.resource.kubernetes.io/bank":"1"}})",
       R"({"kind":"DeviceClass","apiVersion":"resource.k8s.io/v1","metadata":{"name":"x0"},)"
       R"("spec":{"extendedResourceName":"x1/x2"},)"
       R"("requests":{"x1/x2":"1","deviceclass.resource.kubernetes.io/x0":"1"}})"},
      {"of devices the names and the words go; types, amounts and policies stay",
       R"({"kind":"ResourceSlice","spec":{"driver":"gpu.bank.com","pool":{"name":"pool","generation":2},)"
       R"("nodeName":"node","devices":[{"name":"dev","attributes":{"model":{"string":"vault"},)"
       R"("bank.com/lane":{"int":7},"up":{"bool":true},"firmware":{"version":"1.2.3-vault.4"},)"
       R"("tags":{"strings":["vault"]}},"capacity":{"memory":{"value":"40Gi","requestPolicy":{"default":"1Gi",)"
       R"("validRange":{"min":"1Gi","step":"1Mi"}}},"lanes":"4","bank.com/lane":{"value":"vault"}},)"
       R"("consumesCounters":[{"counterSet":"set","counters":{"slots":{"value":"1"}}}],)"
       R"("bindingConditions":["Attached"],"taints":[{"key":"bank.com/broken","value":"vault",)"
       R"("effect":"NoExecute"}]}]}})",
       R"({"kind":"ResourceSlice","spec":{"driver":"x05","pool":{"name":"x10","generation":2},)"
       R"("nodeName":"x09","devices":[{"name":"x03","attributes":{"x08":{"string":"x15"},)"
       R"("x01/x06":{"int":7},"x14":{"bool":true},"x04":{"version":"1.2.3-x15.4"},)"
       R"("x13":{}},"capacity":{"memory":{"value":"40Gi","requestPolicy":{"default":"1Gi",)"
       R"("validRange":{"min":"1Gi","step":"1Mi"}}},"x07":"4","x01/x06":{}},)"
       R"("consumesCounters":[{"counterSet":"x11","counters":{"x12":{"value":"1"}}}],)"
       R"("bindingConditions":["x00"],"taints":[{"key":"x01/x02","value":"x15",)"
       R"("effect":"NoExecute"}]}]}})"},
      {"a selector finds the attributes by their new names",
       R"({"attributes":{"model":{"string":"A100"},"bank.com/lane":{"string":"l\"7"},"driver":{"string":"d"},)"
       R"("resource.kubernetes.io/pcieRoot":{"string":"pci"}},"driver":"gpu.bank.com","selectors":[{"cel":{)"
       R"("expression":"device.driver == 'gpu.bank.com' && device.attributes[\"gpu.bank.com\"].model in )"
       R"([\"A100\"] // bank\n && device.capacity['bank.com'].?lane.orValue(quantity('40Gi'))"
       R"(.isGreaterThan(quantity(r'1Gi')) || [1].exists(card, card == 2) || semver('1.2.3-bank').major() > 0)"
       R"( && device.attributes['resource.kubernetes.io'].pcieRoot == 'pci'"}}],"matchAttribute":"bank.com/lane"})",
       R"({"attributes":{"x08":{"string":"x00"},"x02/x07":{"string":"x06"},"driver":{"string":"x04"},)"
       R"("resource.kubernetes.io/x10":{"string":"x09"}},"driver":"x05","selectors":[{"cel":{)"
       R"("expression":"device.driver == \"x05\" && device.attributes[\"x05\"].x08 in )"
       R"([\"x00\"] && device.capacity[\"x02\"].?x07.orValue(quantity(\"40Gi\"))"
       R"(.isGreaterThan(quantity(\"1Gi\")) || [1].exists(x03, x03 == 2) || semver(\"1.2.3-x01\").major() > 0)"
       R"( && device.attributes[\"resource.kubernetes.io\"].x10 == \"x09\""}}],"matchAttribute":"x02/x07"})"},
      {"an expression that is none is replaced", R"({"expression":"a # bank"})", R"({"expression":"x0"})"},
      {"a claim, and what a request asks of a capacity",
       R"({"metadata":{"annotations":{"resource.kubernetes.io/pod-claim-name":"own"}},)"
       R"("spec":{"devices":{"requests":[{"name":"req","exactly":{"deviceClassName":"class","count":2,)"
       R"("allocationMode":"ExactCount","capacity":{"requests":{"bank.com/memory":"1Gi"}}}}],)"
       R"("constraints":[{"requests":["req"],"distinctAttribute":"model"}],"config":[{"opaque":{"driver":"d"}}]}},)"
       R"("status":{"allocation":{"allocationTimestamp":"2026-01-01T00:00:00Z","devices":{"results":[)"
       R"({"request":"req/sub","driver":"d","pool":"p","device":"e","shareID":)"
       R"("9af1c2d3-0000-4000-8000-00000000000a","consumedCapacity":{"bank.com/memory":"1Gi"}}]}},)"
       R"("reservedFor":[{"resource":"pods","name":"web","uid":"u"}]},"data":{"bank":1}})",
       R"({"metadata":{"annotations":{"resource.kubernetes.io/pod-claim-name":"x05"}},)"
       R"("spec":{"devices":{"requests":[{"name":"x07","exactly":{"deviceClassName":"x01","count":2,)"
       R"("allocationMode":"ExactCount","capacity":{"requests":{"x00/memory":"1Gi"}}}}],)"
       R"("constraints":[{"requests":["x07"],"distinctAttribute":"x04"}]}},)"
       R"("status":{"allocation":{"allocationTimestamp":"2026-01-01T00:00:00Z","devices":{"results":[)"
       R"({"request":"x07/x08","driver":"x02","pool":"x06","device":"x03","shareID":)"
       R"("9af1c2d3-0000-4000-8000-00000000000a","consumedCapacity":{"x00/memory":"1Gi"}}]}},)"
       R"("reservedFor":[{"resource":"pods","name":"x10","uid":"x09"}]}})"},
      {"a pod and its claims",
       R"({"spec":{"resourceClaims":[{"name":"own","resourceClaimTemplateName":"t"}]},"status":{)"
       R"("resourceClaimStatuses":[{"name":"own","resourceClaimName":"web-own-1"}],)"
       R"("extendedResourceClaimStatus":{"resourceClaimName":"web-ext","requestMappings":[{"containerName":"c"}]}}})",
       R"({"spec":{"resourceClaims":[{"name":"x0","resourceClaimTemplateName":"x1"}]},"status":{)"
       R"("resourceClaimStatuses":[{"name":"x0","resourceClaimName":"x3"}],)"
       R"("extendedResourceClaimStatus":{"resourceClaimName":"x2"}}})"},
      {"of a template the labels are read",
       R"({"template":{"metadata":{"name":"n","labels":{"app":"w"}},"spec":{"nodeName":"n"}}})",
       R"({"template":{"metadata":{"labels":{"x0":"x1"}}}})"},
      {"features that rules know stay, in order",
       R"({"declaredFeatures":["BankFeature","UserNamespacesHostNetworkSupport","VolumeBindMountOptions"]})",
       R"({"declaredFeatures":["UserNamespacesHostNetworkSupport","VolumeBindMountOptions"]})"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    Renaming names;
    names.object(row.json);
    names.number_all();
    CHECK(names.object(row.json) == row.expected);
  }
}

TEST_CASE("a field that a decoder reads stays in a copy without names") {
  // Free text, who has written, objects that no recording has, and resources, which are kept as such.
  const std::set<std::string> left_out = {
      "message",   "manager",     "managedFields", "time", "blockOwnerDeletion",
      "addresses", "addressType", "endpoints",     "port", "ready",
      "cpu",       "memory"};
  const std::regex field(R"re("([a-z][A-Za-z]*)")re");
  const auto folder = std::filesystem::path(WINNOW_ROOT) / "cluster/api";
  std::size_t fields = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    if (!file.path().filename().string().starts_with("decode")) continue;
    std::ifstream lines(file.path());
    for (std::string line; std::getline(lines, line);) {
      if (line.contains("#include") || line.contains("//")) continue;
      for (std::sregex_iterator found(line.begin(), line.end(), field), end; found != end; ++found) {
        const std::string name = (*found)[1];
        CAPTURE(name);
        CHECK(is_kept_field(name) != left_out.contains(name));
        ++fields;
      }
    }
  }
  CHECK(fields > 150);
}

TEST_CASE("a map of amounts that a decoder reads keeps its amounts in a copy without names") {
  const auto folder = std::filesystem::path(WINNOW_ROOT) / "cluster/api";
  const auto text_of_file = [](const std::filesystem::path& file) {
    std::stringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
  };
  std::string headers, decoders;
  for (const auto& file : std::filesystem::directory_iterator(folder))
    (file.path().extension() == ".h" ? headers : decoders) += text_of_file(file.path());
  const std::regex member(R"re(\bResourceList>? (\w+);)re");
  std::size_t maps = 0;
  for (std::sregex_iterator found(headers.begin(), headers.end(), member), none; found != none; ++found) {
    const std::string name = (*found)[1];
    CAPTURE(name);
    const std::regex read("read\\(\"(\\w+)\", \\w+\\." + name + "\\)");
    std::size_t reads = 0;
    for (std::sregex_iterator field(decoders.begin(), decoders.end(), read); field != none;
         ++field, ++reads) {
      Renaming names;
      names.number_all();
      const std::string object = names.object("{\"" + (*field)[1].str() + "\":{\"corp.example/gpu\":\"2\"}}");
      CHECK_MESSAGE(object.ends_with(":\"2\"}}"), object);  // See kAmountMaps of rename_object.cc.
    }
    CHECK(reads > 0);
    ++maps;
  }
  CHECK(maps > 10);
}

TEST_CASE("a configuration keeps its words, and its labels are those of the objects") {
  struct Row {
    std::string sentence, config, expected;
  };
  // The labels of the objects are words of a configuration, and its names are theirs.
  const std::string labels =
      R"({"labels":{"filter":"leases","tier":"gold","30s":"LeastAllocated","nodes":"Policy","labels":"v1"}})";
  const Row rows[] = {
      {"a Policy",
       R"({"kind":"Policy","apiVersion":"v1","predicates":[{"name":"PodFitsResources"},{"name":"Own",)"
       R"("argument":{"labelsPresence":{"labels":["tier"]}}}],"extenders":[{"urlPrefix":"https://bank",)"
       R"("filterVerb":"filter","tlsConfig":{}}]})",
       R"({"kind":"Policy","apiVersion":"v1","predicates":[{"name":"PodFitsResources"},{"name":"x02",)"
       R"("argument":{"labelsPresence":{"labels":["x09"]}}}],"extenders":[{"urlPrefix":"http://extender",)"
       R"("filterVerb":"filter"}]})"},
      {"plugins and their arguments",
       R"({"kind":"KubeSchedulerConfiguration","apiVersion":"kubescheduler.config.k8s.io/v1",)"
       R"("leaderElection":{"resourceLock":"leases"},"profiles":[{"schedulerName":"tier",)"
       R"("plugins":{"multiPoint":{"enabled":[{"name":"BankPlugin"}],"disabled":[{"name":"*"}]}},)"
       R"("pluginConfig":[{"name":"NodeResourcesFit","args":{"scoringStrategy":{"type":"LeastAllocated",)"
       R"("resources":[{"name":"cpu"},{"name":"bank.com/gpu"}]}}},{"name":"DynamicResources",)"
       R"("args":{"filterTimeout":"30s"}},{"name":"BankPlugin","args":{"bank":"b"}}]}]})",
       R"({"kind":"KubeSchedulerConfiguration","apiVersion":"kubescheduler.config.k8s.io/v1",)"
       R"("profiles":[{"schedulerName":"x11",)"
       R"("plugins":{"multiPoint":{"enabled":[{"name":"x01"}],"disabled":[{"name":"*"}]}},)"
       R"("pluginConfig":[{"name":"NodeResourcesFit","args":{"scoringStrategy":{"type":"LeastAllocated",)"
       R"("resources":[{"name":"cpu"},{"name":"x04/x07"}]}}},{"name":"DynamicResources",)"
       R"("args":{"filterTimeout":"30s"}},{"name":"x01"}]}]})"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    Renaming names;
    names.object(labels);
    names.config(row.config);
    names.number_all();
    CHECK(names.config(row.config) == row.expected);
  }
}

TEST_CASE("a configuration without names is one that Winnow reads") {
  std::size_t read = 0;
  for (const char* const folder :
       {"scheduler_configs", "v1beta3_configs", "v1beta2_configs", "v1beta1_configs", "v1alpha2_configs"})
    for (const auto& file : std::filesystem::directory_iterator(
             std::filesystem::path(WINNOW_ROOT) / "tests/extender/config" / folder / "accepted")) {
      CAPTURE(file.path());
      std::stringstream text;
      text << std::ifstream(file.path()).rdbuf();
      Renaming names;
      names.config(text.str());
      names.number_all();
      const std::string made = names.config(text.str());
      CAPTURE(made);
      const auto loaded = load_rules("f", made, Gates{});
      CHECK((loaded ? "" : loaded.error()) == "");
      ++read;
    }
  CHECK(read > 50);
}

TEST_CASE("a text that was not noted is replaced all the same") {
  Renaming names;
  names.object(R"({"name":"a"})");
  names.number_all();
  CHECK(names.object(R"({"name":"a","nodeName":"bank","namespace":"bank","schedulerName":"b2"})") ==
        R"({"name":"x0","nodeName":"y0","namespace":"y0","schedulerName":"y1"})");
  CHECK(names.size() == 1);
}

TEST_CASE("of a query the search goes") {
  Renaming names;
  names.number_all();
  CHECK(names.query("from=20&limit=10&by=NodeAffinity&match=bank&bank=1") ==
        "from=20&limit=10&by=NodeAffinity");
  CHECK(names.query("%6datch=bank&from=bank&by=Bank") == "by=y0");
  CHECK(names.query("bank") == "");
}

TEST_CASE("why a recording has ended is not told") {
  const TempFolder folder;
  std::filesystem::create_directory(folder.path("r"));
  auto file = GzipWriter::create(folder.path("r/recording-000001.jsonl.gz")).value();
  const std::string lines[] = {head_line({.number = 1}), R"({"begins":0})",
                               R"({"rules":1,"gates":"","config":""})",
                               R"({"ends":3,"next":false,"why":"/srv/bank/rec: No space left"})"};
  for (const std::string& line : lines) REQUIRE(file->line(line) == "");
  REQUIRE(file->close() == "");
  CHECK(anonymize_to(folder.path("r"), folder.path("a")).replay.error == "");
  CHECK(!text_of(folder.path("a")).contains("bank"));
  CHECK(text_of(folder.path("a")).contains(R"("why":"it had ended early")"));
}

TEST_CASE("no secret of a configuration is recorded") {
  const TempFolder folder;
  const std::string config = std::string(kTodaysConfig) +
                             "extenders:\n- urlPrefix: https://bank:hunter2@bank.com/hunter2\n"
                             "  filterVerb: f\n  tlsConfig:\n    keyData: &k |\n      aHVudGVyMg==\n";
  record_shop(folder.path("r"), AnswerMode::kComplete, config);
  CHECK(text_of(folder.path("r")).contains("https://bank.com"));
  check_equal(play(folder.path("r")), 24);
  CHECK(anonymize_to(folder.path("r"), folder.path("a")).changed_choices == 0);
  CHECK(!text_of(folder.path("a")).contains("bank"));
  check_equal(play(folder.path("a")), 24);
  for (const char* const dir : {"r", "a"})
    for (const char* const secret : {"hunter2", "aHVudGVyMg"})
      CHECK(!text_of(folder.path(dir)).contains(secret));
}

}  // namespace winnow::test
