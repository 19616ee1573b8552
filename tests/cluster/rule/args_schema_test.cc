// A plugin's arguments as a list of fields: types, defaults, reading and checks follow from it.
#include "cluster/rule/args_schema.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "cluster/text/json_document.h"

namespace winnow::test {
namespace {

struct CoolNodesArgs {
  std::string annotation;
  std::int64_t max_percent = 85;
  bool strict = false;
  std::vector<std::string> zones;
};

FieldResult check_zones(const CoolNodesArgs& args, std::string_view path) {
  if (!args.strict || !args.zones.empty()) return {};
  return required(child(path, "zones"), "strict needs them");
}

constexpr ArgsField<CoolNodesArgs> kCoolNodesFields[] = {
    field<&CoolNodesArgs::annotation, label_name_required>("annotation"),
    field<&CoolNodesArgs::max_percent, in_range<0, 100>>("maxPercent", &fields::kInt32),
    field<&CoolNodesArgs::strict>("strict"), field<&CoolNodesArgs::zones>("zones")};
constexpr ArgsSchema kCoolNodesArgs = args_schema<kCoolNodesFields, check_zones>();
constexpr ArgsSchema kUntypedArgs = untyped_args_schema<kCoolNodesFields>();

PluginArgs read(const std::string& json) {
  rapidjson::Document root;
  root.Parse(json.c_str());
  std::string error;
  const Reader reader(root, nullptr, error);
  return kCoolNodesArgs.read({reader, "args", {}});
}

std::string wrong_with(const std::string& json) {
  const PluginArgs args = read(json);
  return args.sound ? "" : args.sound.error();
}

std::uint64_t fingerprint(const std::string& json) {
  Fingerprint fingerprint;
  read(json).values.add_to(fingerprint);
  return fingerprint.hash();
}

TEST_SUITE("arguments as a list of fields") {
  TEST_CASE("the schema has the fields with their types, behind kind and apiVersion") {
    std::vector<std::string> names;
    for (const Field& field : kCoolNodesArgs.type.fields) names.emplace_back(field.name);
    CHECK(names ==
          std::vector<std::string>{"kind", "apiVersion", "annotation", "maxPercent", "strict", "zones"});
    const auto all = kUntypedArgs.type.fields;
    REQUIRE(all.size() == 4);
    CHECK(all[0].type->kind == FieldKind::kString);
    CHECK(all[1].type->kind == FieldKind::kInt32);
    CHECK(all[2].type->kind == FieldKind::kBool);
    CHECK(all[3].type == &fields::kStrings);
  }

  TEST_CASE("what is written arrives, and the rest has the struct's defaults") {
    const PluginArgs least = read(R"({"annotation":"a/b"})");
    REQUIRE(least.sound.has_value());
    CHECK(least.values.get<CoolNodesArgs>().annotation == "a/b");
    CHECK(least.values.get<CoolNodesArgs>().max_percent == 85);
    const PluginArgs all = read(R"({"annotation":"a/b","maxPercent":7,"strict":true,"zones":["x","y"]})");
    REQUIRE(all.sound.has_value());
    const CoolNodesArgs& args = all.values.get<CoolNodesArgs>();
    CHECK(args.max_percent == 7);
    CHECK(args.strict);
    CHECK(args.zones == std::vector<std::string>{"x", "y"});
  }

  TEST_CASE("the first wrong field is told, and the check of the whole comes last") {
    CHECK(wrong_with("{}") == "args.annotation: Required value");
    CHECK(wrong_with(R"({"maxPercent":101})") == "args.annotation: Required value");
    CHECK(wrong_with(R"({"annotation":"a b"})").starts_with("args.annotation: Invalid value: \"a b\": "));
    const std::string range = "not in valid range [0, 100]";
    CHECK(wrong_with(R"({"annotation":"a","maxPercent":101,"strict":true})") ==
          "args.maxPercent: Invalid value: 101: " + range);
    CHECK(wrong_with(R"({"annotation":"a","maxPercent":-1})") ==
          "args.maxPercent: Invalid value: -1: " + range);
    CHECK(wrong_with(R"({"annotation":"a","maxPercent":0})") == "");
    CHECK(wrong_with(R"({"annotation":"a","maxPercent":100})") == "");
    CHECK(wrong_with(R"({"annotation":"a","strict":true})") ==
          "args.zones: Required value: strict needs them");
  }

  TEST_CASE("each field is in the fingerprint") {
    const std::uint64_t before = fingerprint(R"({"annotation":"a"})");
    CHECK(fingerprint(R"({"annotation":"a","maxPercent":85})") == before);
    for (const char* other : {R"({"annotation":"b"})", R"({"annotation":"a","maxPercent":84})",
                              R"({"annotation":"a","strict":true})", R"({"annotation":"a","zones":["x"]})"})
      CHECK(fingerprint(other) != before);
  }

  TEST_CASE("arguments are of one type, and others are not taken for it") {
    struct Other {
      std::string annotation;
      std::int64_t max_percent = 85;
      bool strict = false;
      std::vector<std::string> zones;
    };
    const Arguments args = CoolNodesArgs{.annotation = "a"};
    CHECK(args.holds<CoolNodesArgs>());
    CHECK(args.get_if<Other>() == nullptr);
    CHECK(args.get_or_default<Other>().annotation.empty());
    CHECK(Arguments().empty());
    CHECK(Arguments().get_if<CoolNodesArgs>() == nullptr);
  }
}

}  // namespace
}  // namespace winnow::test
