#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <format>
#include <fstream>
#include <string>

#include "cluster/api/kinds.h"
#include "cluster/files/cluster_file.h"
#include "cluster/state/state.h"
#include "cluster/text/characters.h"
#include "cluster/text/json_document.h"
#include "tests/gzip.h"

namespace winnow {
namespace {

std::string error_of(std::string text) {
  const auto objects = read_cluster_text("f", std::move(text));
  return objects ? "" : objects.error().message;
}

/// A file of the temporary directory, removed with its owner.
class TemporaryFile {
 public:
  TemporaryFile(const std::string& name, const std::string& bytes)
      : path_(std::filesystem::temp_directory_path() /
              ("winnow_feed_test_" + std::to_string(getpid()) + "_" + name)) {
    std::ofstream(path_, std::ios::binary) << bytes;
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

const char* const kPodAndNode = R"({"apiVersion":"v1","kind":"List","items":[
  {"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"x"}},
  {"apiVersion":"v1","kind":"Node","metadata":{"name":"n"}}]})";

}  // namespace

TEST_CASE("a list of anything") {
  const auto objects = read_cluster_text("f", kPodAndNode);
  REQUIRE(objects);
  CHECK(objects->of<Pod>().size() == 1);
  CHECK(objects->of<Pod>()[0].metadata.uid == "x/p");
  CHECK(objects->of<Node>().size() == 1);
}

TEST_CASE("the forms that kubectl writes") {
  struct Row {
    const char* sentence;
    const char* text;
    std::size_t pods;
  };
  const Row rows[] = {
      {"one object", R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"}})", 1},
      {"a typed list, whose items have no kind",
       R"({"kind":"PodList","apiVersion":"v1","items":[{"metadata":{"name":"p"}},{"metadata":{"name":"q"}}]})",
       2},
      {"the kind behind the items", R"({"items":[{"metadata":{"name":"p"}}],"kind":"PodList"})", 1},
      {"no items", R"({"kind":"PodList","apiVersion":"v1","items":null})", 0},
      {"two JSON documents",
       R"({"kind":"Pod","metadata":{"name":"p"}} {"kind":"Pod","metadata":{"name":"q"}})", 2},
      {"YAML", "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n", 1},
      {"YAML documents, some of them empty",
       "---\nkind: Pod\nmetadata: {name: p}\n---\n---\nkind: Pod\nmetadata: {name: q}\n", 2},
      {"a pod that has ended is left out",
       R"({"kind":"Pod","metadata":{"name":"p"},"status":{"phase":"Failed"}})", 0},
      {"the same pod twice", "kind: Pod\nmetadata: {name: p}\n---\nkind: Pod\nmetadata: {name: p}\n", 1},
  };
  for (const auto& row : rows) {
    CAPTURE(row.sentence);
    const auto objects = read_cluster_text("f", row.text);
    REQUIRE(objects);
    CHECK(objects->of<Pod>().size() == row.pods);
  }
}

TEST_CASE("kubectl cluster-info dump: lists with the logs of containers between them") {
  const std::string nodes = R"({"kind":"NodeList","apiVersion":"v1","items":[{"metadata":{"name":"n"}}]})";
  const auto pods = [](const std::string& name) {
    return R"({"kind":"PodList","apiVersion":"v1","items":[{"metadata":{"name":")" + name +
           R"(","namespace":"shop"},"spec":{"nodeName":"n"}}]})";
  };
  const auto log = [](const std::string& of, const std::string& text) {
    return "==== START logs for container " + of + " ====\n" + text + "==== END logs for container " + of +
           " ====\n";
  };
  struct Row {
    const char* sentence;
    std::string text;
    std::size_t pods;
    const char* error;
  };
  const Row rows[] = {
      {"without logs", nodes + "\n" + pods("a") + "\n", 1, ""},
      {"a log between two lists",
       nodes + "\n" + pods("a") + "\n" + log("c of pod shop/a", "hello\n") + pods("b"), 2, ""},
      {"a log without a newline at its end, and one that is empty",
       pods("a") + "\n" + log("c of pod shop/a", "one\ntwo") + log("d of pod shop/a", "") + pods("b"), 2, ""},
      {"a log that has objects, bytes and another log's line in it",
       pods("a") + "\n" +
           log("c of pod shop/a",
               "{\"kind\":\"Pod\"}\n\x01\xff\n==== START logs for container x of pod y ====\n") +
           pods("b"),
       2, ""},
      {"in YAML",
       "apiVersion: v1\nkind: PodList\nitems: [{metadata: {name: a}}]\n" +
           log("c of pod default/a", "x: [\n") +
           "---\napiVersion: v1\nkind: PodList\nitems: [{metadata: {name: b}}]\n",
       2, ""},
      {"cut off in a log", pods("a") + "\n==== START logs for container c of pod shop/a ====\nhello\n", 0,
       "f: line 2: the log of container c of pod shop/a has no end: is the dump whole?"},
      {"an error behind a log names its line", pods("a") + "\n" + log("c of pod shop/a", "1\n2\n") + "{]", 0,
       "f: line 6, column 2: not JSON: Missing a name for object member."},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    const auto objects = read_cluster_text("f", row.text);
    CHECK((objects ? "" : objects.error().message) == row.error);
    if (objects) CHECK(objects->of<Pod>().size() == row.pods);
  }
}

TEST_CASE("a folder stands for the files in it, as kubectl cluster-info dump --output-directory writes one") {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("winnow_dump_test_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder / "shop" / "a");
  std::filesystem::create_directories(folder / ".git");
  const auto write = [&](const char* name, const std::string& text) { std::ofstream(folder / name) << text; };
  write("nodes.json", R"({"kind":"NodeList","apiVersion":"v1","items":[{"metadata":{"name":"n"}}]})");
  write("shop/pods.json", R"({"kind":"PodList","apiVersion":"v1","items":[{"metadata":{"name":"a"}}]})");
  write("shop/a/logs.txt", "no object");
  write("more.yml", "kind: Pod\nmetadata: {name: b}\n");
  write(".git/config.yaml", "no object");
  const std::string names[] = {folder.string()};
  const auto objects = read_cluster(names);
  REQUIRE_MESSAGE(objects.has_value(), (objects ? "" : objects.error().message));
  CHECK(objects->of<Node>().size() == 1);
  REQUIRE(objects->of<Pod>().size() == 2);
  CHECK_MESSAGE(objects->of<Pod>()[0].metadata.name == "b", "in order of their paths");
  const std::string empty[] = {(folder / "shop" / "a").string()};
  CHECK(read_cluster(empty).error().message == empty[0] + ": a folder without a .json, .yaml or .yml file");
  write("shop/wrong.yaml", "kind: Pod\n");
  CHECK(read_cluster(names).error().message ==
        (folder / "shop/wrong.yaml").string() + ": has no metadata.name");
  std::filesystem::remove_all(folder);
}

TEST_CASE("texts that hold no objects are named, with what to give instead") {
  const char* const kGet = ": expected what 'kubectl get' prints with -o json or -o yaml";
  const std::pair<std::string, std::string> rows[] = {
      {"Name:         web-0\nNamespace:    shop\nLabels:       app=web\nStatus:       Pending\n",
       std::string("f: what 'kubectl describe' prints for people") + kGet},
      {"Name:               n1\nRoles:              <none>\nConditions:\n  Type  Status\n  ----  ------\n",
       std::string("f: what 'kubectl describe' prints for people") + kGet},
      {"NAME    READY   STATUS\nweb-0   0/1     Pending\n",
       std::string("f: a table of 'kubectl get'") + kGet},
      {"NAMESPACE   NAME    READY\nshop        web-0   0/1\n",
       std::string("f: a table of 'kubectl get'") + kGet},
      {"Error from server (Forbidden): nodes is forbidden\n",
       "f: no object, but what kubectl said: Error from server (Forbidden): nodes is forbidden"},
      {"<!DOCTYPE html>\n<html>\n",
       "f: a page of HTML; expected JSON or YAML, as behind the link Raw of a repository"},
      {"apiVersion: v1\nkind: Pod\nmetadata:\n  name: {{ .Release.Name }}-x\n",
       "f: a Helm template that is not rendered: render it first, as by `helm template`"},
      {"{{- if .Values.on }}\nkind: Pod\n{{- end }}\n",
       "f: a Helm template that is not rendered: render it first, as by `helm template`"},
      // These are objects with such words in them.
      {"kind: Pod\nmetadata: {name: p, annotations: {a: '{{ .Values.a }}'}}\n", ""},
      {R"({"kind":"Pod","metadata":{"name":"p","annotations":{"a":"{{- .Values.a }}"}}})", ""},
      {"kind: ConfigMap\ndata: {a: 'NAME  READY'}\n", ""},
  };
  for (const auto& [text, error] : rows) {
    CAPTURE(text);
    CHECK(error_of(text) == error);
  }
}

TEST_CASE("the later of two counts, and its end ends the pod") {
  const auto later = read_cluster_text("f",
                                       "kind: Pod\nmetadata: {name: p}\nspec: {nodeName: a}\n---\nkind: "
                                       "Pod\nmetadata: {name: p}\nspec: {nodeName: b}\n");
  CHECK(later->of<Pod>().at(0).spec.node_name == "b");
  const auto ended = read_cluster_text(
      "f",
      "kind: Pod\nmetadata: {name: p}\n---\nkind: Pod\nmetadata: {name: p}\nstatus: {phase: Succeeded}\n");
  CHECK(ended->of<Pod>().empty());
  CHECK(ended->finished_pods == 1);
}

TEST_CASE("kinds of others are counted") {
  const auto objects = read_cluster_text("f", R"({"kind":"List","apiVersion":"v1","items":[
    {"kind":"Service","apiVersion":"serving.knative.dev/v1","metadata":{"name":"s"}},
    {"kind":"Service","apiVersion":"v1","metadata":{"name":"s"}},
    {"kind":"ConfigMap","apiVersion":"v1"},{"kind":"ConfigMap","apiVersion":"v1"}]})");
  REQUIRE(objects);
  CHECK(objects->of<Service>().size() == 1);
  CHECK(objects->skipped ==
        std::map<std::string, std::size_t>{{"ConfigMap", 2}, {"Service.serving.knative.dev", 1}});
}

TEST_CASE("only objects that are read are told of") {
  const TemporaryFile file("told", R"(kind: Pod
metadata: {name: p}
---
apiVersion: v1
kind: Secret
metadata: {name: s}
data: {password: c2VjcmV0}
---
kind: ConfigMap
metadata: {name: c}
data: {dsn: secret}
---
apiVersion: serving.knative.dev/v1
kind: Service
metadata: {name: k}
---
kind: Node
metadata: {name: node}
---
kind: Node
metadata: {labels: {a: b}}
)");
  std::vector<std::string> told;
  const auto note = [&](std::string_view json) { told.emplace_back(json); };
  const auto objects = read_cluster(std::vector{file.path()}, note);
  CHECK(objects.error().message.contains("has no metadata.name"));
  CHECK(told == std::vector<std::string>{R"({"kind":"Pod","metadata":{"name":"p"}})",
                                         R"({"kind":"Node","metadata":{"name":"node"}})"});
}

TEST_CASE("every kind goes from a file into the state, with its namespace") {
  for_each_kind([]<class Object>(const Kind<Object>& kind) {
    CAPTURE(kind.kind);
    const auto text = [&](std::string_view api_version) {
      return std::format(R"({{"kind":"{}","apiVersion":"{}","metadata":{{"name":"x"}}}})", kind.kind,
                         api_version);
    };
    auto objects = read_cluster_text("f", text(kind.api_version));
    REQUIRE(objects);
    CHECK(objects->skipped.empty());
    REQUIRE(objects->template of<Object>().size() == 1);
    const ObjectMeta metadata = objects->template of<Object>().front().metadata;
    CHECK(metadata.name == "x");
    CHECK(metadata.namespace_ == (kind.scope == kNamespaced ? "default" : ""));
    State state;
    load(state, *objects);
    if constexpr (Objects::has<Object>) CHECK(state.objects.of<Object>().contains(key_of(metadata)));

    const auto foreign = read_cluster_text("f", text("example.com/v1"));
    REQUIRE(foreign);
    CHECK(foreign->template of<Object>().empty());
    CHECK(foreign->skipped.size() == 1);
  });
  const auto old = read_cluster_text(
      "f", R"({"kind":"ReplicaSet","apiVersion":"extensions/v1beta1","metadata":{"name":"x"}})");
  CHECK(old.value().of<ReplicaSet>().size() == 1);
}

TEST_CASE("devices and claims come in each version that API servers have had, with defaults") {
  struct Row {
    const char *version, *device, *request;
  };
  const Row rows[] = {
      {"v1", R"("attributes":{"model":{"string":"a"}})", R"("exactly":{"deviceClassName":"gpu"})"},
      {"v1beta2", R"("attributes":{"model":{"string":"a"}})", R"("exactly":{"deviceClassName":"gpu"})"},
      {"v1beta1", R"("basic":{"attributes":{"model":{"string":"a"}}})", R"("deviceClassName":"gpu")"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.version);
    const auto object = [&](const std::string& kind, const std::string& rest) {
      return R"({"kind":")" + kind + R"(","apiVersion":"resource.k8s.io/)" + row.version +
             R"(","metadata":{"name":"x"},)" + rest + "}";
    };
    const std::string spec =
        std::string(R"("spec":{"devices":{"requests":[{"name":"one",)") + row.request + "}]}}";
    const TemporaryFile file(
        "devices", R"({"kind":"List","items":[)" +
                       object("ResourceSlice", R"("spec":{"driver":"d","devices":[{"name":"dev",)" +
                                                   std::string(row.device) + "}]}") +
                       ',' + object("ResourceClaim", spec) + ',' +
                       object("ResourceClaimTemplate", R"("spec":{)" + spec + "}") + ',' +
                       object("DeviceClass", R"("spec":{"selectors":[{"cel":{"expression":"true"}}]})") +
                       ',' + object("DeviceTaintRule", R"("spec":{"deviceSelector":{"driver":"d"}})") + "]}");
    std::vector<std::string> told;
    const auto note = [&](std::string_view json) { told.emplace_back(json); };
    const auto objects = read_cluster(std::vector{file.path()}, note);
    REQUIRE_MESSAGE(objects, objects.error().message);
    CHECK(objects->warnings.lines.empty());
    State state;
    load(state, *objects);
    CHECK(state.devices.slices().at("x").devices.at(0).attributes == DeviceAttributes{{"model", "a"}});
    const ResourceClaim* const claim = state.devices.find_claim("default", "x");
    REQUIRE(claim != nullptr);
    CHECK(claim->metadata.uid == "default/x");
    CHECK(claim->spec.requests.at(0).exactly->count == 1);
    CHECK(state.objects.of<ResourceClaimTemplate>().at("default/x").spec == claim->spec);
    CHECK(state.objects.of<DeviceClass>().at("x").selectors == std::vector<DeviceSelector>{"true"});
    CHECK(state.devices.taint_rules().at("x").driver == "d");

    // What a recording keeps of the files reads as they do.
    std::string list = R"({"kind":"List","items":[)";
    for (const std::string& one : told) list += (list.ends_with('[') ? "" : ",") + one;
    State again;
    load(again, read_cluster_text("f", list + "]}").value());
    CHECK(again.devices.slices() == state.devices.slices());
    CHECK(again.devices.claims() == state.devices.claims());
    CHECK(again.devices.taint_rules() == state.devices.taint_rules());
  }
}

TEST_CASE("a field that devices do not have is told of in v1, where fields are known") {
  const auto warnings_of = [](const std::string& version) {
    const TemporaryFile file(
        "claim", "apiVersion: resource.k8s.io/" + version +
                     "\nkind: ResourceClaim\nmetadata: {name: x}\nspec: {devices: {request: []}}\n");
    return read_cluster(std::vector{file.path()}).value().warnings.lines;
  };
  REQUIRE(warnings_of("v1").size() == 1);
  CHECK(
      warnings_of("v1")[0].ends_with("unknown field \"spec.devices.request\" (did you mean \"requests\"?)"));
  CHECK(warnings_of("v1beta1").empty());
}

TEST_CASE("errors name the file and the place") {
  CHECK(error_of(R"({"kind":"PodList","items":[{"metadata":{"name":"a"}},{"spec":{"nodeName":5}}]})") ==
        "f: items[1].spec.nodeName: 5 is not a string");
  CHECK(error_of(R"({"kind":"PodList","items":[{}]})") == "f: items[0]: has no metadata.name");
  CHECK(error_of(R"({"kind":"Node"})") == "f: has no metadata.name");
  CHECK(error_of(R"({"items":[]})") == "f: has no kind");
  CHECK(error_of(R"({"kind":"List","items":[{}]})") == "f: items[0]: has no kind");
  CHECK(error_of("{\n\"kind\": }") == "f: line 2, column 9: not JSON: Invalid value.");
  CHECK(error_of("kind: Pod\n  x: y\n") == "f: line 2, column 4: not YAML: illegal map value");
  CHECK(error_of("kind: Node\nmetadata: {name: a}\n---\nkind: Node\nmetadata: 5\n") ==
        "f: document 2: metadata: 5 is not an object");
  CHECK(error_of("") == "f: holds no objects");
  CHECK(error_of("just text") == "f: \"just text\" is not an object");
  CHECK(error_of("null") == "f: holds no objects");
  CHECK(error_of("---\n---\n") == "f: holds no objects");
  CHECK(error_of(R"({"kind":"Pod","apiVersion":"v9","metadata":{"name":"a"}})") ==
        R"(f: apiVersion: "v9" is none of Pod's; expected v1)");
  CHECK(error_of(R"({"kind":"Pod","spec":{"priority":0.99},"metadata":{"name":"a"}})") ==
        "f: spec.priority: 0.99 is not a 32-bit integer");
  CHECK(error_of("kind: Pod\nmetadata: {name: a}\nspec: {priority: 0.99}\n") ==
        "f: spec.priority: 0.99 is not a 32-bit integer");
  const std::string missing[] = {"/does/not/exist"};
  CHECK(read_cluster(missing).error().message == "/does/not/exist: No such file or directory");
}

TEST_CASE("bytes that are no text are said to be none") {
  CHECK(error_of(std::string("kind: a\nb: \0c\n", 15)) ==
        "f: line 2, column 4: not text: the control character 0x00");
  CHECK(error_of("kind: \x1b[31m\n") == "f: line 1, column 7: not text: the control character 0x1b");
  CHECK(error_of("a: b\n# \xff\n") == "f: line 2, column 3: not text: bytes that are not UTF-8");
  CHECK(error_of("{\"a\":\n \"\xff\"}") == "f: line 2, column 3: not UTF-8");
  const std::string escape = error_of("kind: \"\\\xc3\xa4\"\n");
  CHECK(escape == "f: line 1, column 10: not YAML: unknown escape character: \xef\xbf\xbd");
  const std::string anchor = error_of("a: *" + std::string(5000, 'x') + "\n");
  CHECK(anchor.starts_with("f: line 1, column 4: not YAML: the referenced anchor is not defined: xxx"));
  CHECK(anchor.ends_with("xx…"));
  CHECK(anchor.size() < 500);
  CHECK(find_not_utf8(escape) == std::string::npos);
}

TEST_CASE("a JSON list is read item by item, and its errors have their places") {
  const std::string item = R"({"kind":"Node","apiVersion":"v1","metadata":{"name":")";
  const auto list = read_cluster_text("f", "{\n\"items\" : [" + item + "a\"}}\n, " + item +
                                               "b]\"}} ], \"kind\":\"List\",\"apiVersion\":\"v1\"}");
  REQUIRE(list);
  REQUIRE(list->of<Node>().size() == 2);
  CHECK(list->of<Node>()[1].metadata.name == "b]");
  CHECK(error_of("{\"kind\":\"List\",\n\"items\":[" + item + "a\"}},\n{\"x\":tru }]}") ==
        "f: line 3, column 9: not JSON: Invalid value.");
  CHECK(error_of("{\"kind\":\"List\",\n\"items\":[\n\n],\n\"x\":01}") ==
        "f: line 5, column 6: not JSON: Missing a comma or '}' after an object member.");
  CHECK(error_of(R"({"kind":"List","items":[null]})") == "f: items[0]: null is not an object");
  CHECK(error_of(R"({"kind":"List","items":5})") == "f: items: 5 is not a list");
  CHECK(error_of("{\"items\":[{\"\x01\":1}],\"kind\":\"Other\"}") ==
        "f: line 1, column 13: not JSON: Invalid escape character in string.");
  CHECK(error_of(R"({"kind":"List","items":[]}x)") == "f: line 1, column 27: not JSON: Invalid value.");
  // Of equal keys the last one counts.
  const auto twice = read_cluster_text("f", R"({"kind":"List","items":[],"items":[)" + item + "a\"}}]}");
  REQUIRE(twice);
  CHECK(twice->of<Node>().size() == 1);
  // So it does where one of them is written with an escape.
  const auto escaped =
      read_cluster_text("f", R"({"kind":"List","items":[)" + item + R"(a"}}],"it\u0065ms":[]})");
  REQUIRE(escaped);
  CHECK(escaped->of<Node>().empty());
  // Kinds without lists may have a field of that name.
  const auto other = read_cluster_text("f", R"({"kind":"Thing","apiVersion":"x/v1","items":[1]})");
  REQUIRE(other);
  CHECK(other->skipped.size() == 1);
}

TEST_CASE("objects that hide each other are counted") {
  const auto objects = read_cluster_text("f", R"({"kind":"PodList","items":[
    {"metadata":{"name":"a","uid":"1"}}, {"metadata":{"name":"b","uid":"1"}},
    {"metadata":{"name":"c","uid":"2"}}, {"metadata":{"name":"c","uid":"2"}}]})");
  REQUIRE(objects);
  CHECK(objects->of<Pod>().size() == 3);
  CHECK(objects->repeated == 1);
  CHECK(objects->first_repeated == "Pod default/c");
  CHECK(objects->shared_uids == 1);
  CHECK(objects->first_shared_uid == "1");
}

TEST_CASE("YAML scalars mean what they mean to kubectl") {
  struct Row {
    const char* yaml;
    const char* type;
    const char* text;  ///< Of strings.
  };
  const Row rows[] = {
      {"yes", "true", ""},
      {"on", "true", ""},
      {"y", "true", ""},
      {"off", "false", ""},
      {"tRue", "text", "tRue"},
      {"~", "null", ""},
      {"Null", "null", ""},
      {"\"yes\"", "text", "yes"},
      {"'5'", "text", "5"},
      {"!!str 5", "text", "5"},
      {"2001-01-01", "text", "2001-01-01"},
      {"1:30", "text", "1:30"},
      {"100m", "text", "100m"},
      {"1e400", "text", "1e400"},
      {"+-2", "text", "+-2"},
      {"._5", "text", "._5"},
      {"1e-400", "number", ""},
      {"2222222222222222222.322e294", "text", "2222222222222222222.322e294"},
      {"-", "error", ""},
      {".inf", "error", ""},
      {"5", "number", ""},
      {"1.5", "number", ""},
  };
  for (const auto& row : rows) {
    CAPTURE(row.yaml);
    const auto document = load_document(std::string("k: ") + row.yaml);
    if (std::string(row.type) == "error") {
      CHECK_FALSE(document);
      continue;
    }
    REQUIRE(document);
    const auto& value = document->root()["k"];
    const std::string type = value.IsNull()     ? "null"
                             : value.IsTrue()   ? "true"
                             : value.IsFalse()  ? "false"
                             : value.IsString() ? "text"
                                                : "number";
    CHECK(type == row.type);
    if (value.IsString()) CHECK(std::string(value.GetString()) == row.text);
  }
}

TEST_CASE("YAML integers in every base") {
  struct Row {
    const char* yaml;
    std::int64_t number;
  };
  const Row rows[] = {{"010", 8}, {"0x10", 16},  {"0b11", 3}, {"0o7", 7}, {"1_000", 1000}, {"+5", 5},
                      {"08", 8},  {"1e3", 1000}, {"5.", 5},   {"-0", 0},  {"!!int '5'", 5}};
  for (const auto& row : rows) {
    CAPTURE(row.yaml);
    const auto document = load_document(std::string("k: ") + row.yaml);
    REQUIRE(document);
    REQUIRE(document->root()["k"].IsInt64());
    CHECK(document->root()["k"].GetInt64() == row.number);
  }
}

TEST_CASE("YAML in UTF-32 with what is no character") {
  const auto utf32 = [](std::u32string_view text) {
    std::string bytes("\xff\xfe\0\0", 4);
    for (const char32_t c : text)
      for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(c >> shift);
    return bytes;
  };
  const auto good = load_document(utf32(U"a: \u00e9"));
  REQUIRE(good);
  CHECK(std::string(good->root()["a"].GetString()) == "é");
  for (const char32_t c : {char32_t{0xd800}, char32_t{0x110000}, char32_t{0x1fffff}})
    CHECK_FALSE(load_document(utf32(std::u32string(U"a: b") + c)));
}

TEST_CASE("YAML keys, aliases and merges") {
  const auto keys = load_document("1: a\ntrue: b\n");
  REQUIRE(keys);
  CHECK(keys->root().HasMember("1"));
  CHECK(keys->root().HasMember("true"));
  CHECK_FALSE(load_document("~: a"));
  CHECK_FALSE(load_document("{a: 1}: a"));
  CHECK(load_document("a: 1\nb: 2\na: 3").error().text() ==
        "line 3, column 1: not YAML: the key \"a\" is there twice");
  const std::string key(2000, 'k');
  CHECK(load_document("? " + key + "\n: 1\n? " + key + "\n: 2\n").error().text() ==
        "line 3, column 3: not YAML: the key \"" + std::string(317, 'k') + "\"… is there twice");

  const auto alias = load_document("a: &x {b: [1, 2]}\nc: *x\n");
  REQUIRE(alias);
  CHECK(alias->root()["c"]["b"][1].GetInt() == 2);
  const auto merged = load_document("a: &x {b: 1, c: 2}\nd: {<<: *x, c: 3}\n");
  REQUIRE(merged);
  CHECK(merged->root()["d"]["b"].GetInt() == 1);
  CHECK(merged->root()["d"]["c"].GetInt() == 3);
}

TEST_CASE("YAML that attacks") {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 20; ++i) {
    const std::string name = "a" + std::to_string(i);
    const std::string before = "*a" + std::to_string(i - 1);
    bomb += name + ": &" + name + " [";
    for (int j = 0; j < 9; ++j) bomb += before + (j < 8 ? " , " : " ]\n");
  }
  const auto laughs = load_document(bomb);
  REQUIRE_FALSE(laughs);
  CHECK(laughs.error().message == "not YAML: aliases repeat more than the text has");
  CHECK_FALSE(load_document("a: &x [*x]"));
  CHECK_FALSE(load_document("x: " + std::string(100, '[') + std::string(100, ']')));
  CHECK_FALSE(load_document("x: " + std::string(100000, '[')));
}

TEST_CASE("YAML with junk behind a document is an error, not the same document for ever") {
  for (const std::string text : {"# y\n{a: b},c", "{a: b} }", "a: b\n...\n]"}) {
    CAPTURE(text);
    DocumentReader reader(text);
    rapidjson::Document document;
    std::expected<bool, TextError> more = true;
    for (int documents = 0; more && *more && documents < 10; ++documents) more = reader.next(document);
    CHECK_FALSE(more.has_value());
  }
}

TEST_CASE("files, plain and packed") {
  const TemporaryFile plain("plain.json", kPodAndNode);
  const TemporaryFile packed("packed.json.gz", gzip(kPodAndNode) + gzip("\n"));
  const TemporaryFile more("more.yaml", "kind: Node\nmetadata: {name: m}\n");
  const std::string files[] = {plain.path(), packed.path(), more.path()};
  const auto objects = read_cluster(files);
  REQUIRE(objects);
  CHECK(objects->of<Pod>().size() == 1);
  CHECK(objects->of<Node>().size() == 2);
}

TEST_CASE("a configuration is one document") {
  CHECK(load_document("")->root().IsNull());
  CHECK(load_document("a: b\n---\n")->root().HasMember("a"));
  CHECK_FALSE(load_document("a: b\n---\nc: d\n"));
  CHECK(load_document(R"({"a": [1, 2.5]})")->root()["a"][1].GetDouble() == 2.5);
}

}  // namespace winnow
