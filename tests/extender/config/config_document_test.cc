// A file of rules is parsed once: its kind is known, and what each reader refuses of it.
#include "extender/config/config_document.h"

#include <doctest/doctest.h>

#include <string>

namespace winnow::test {
namespace {

std::string error_of(const FieldResult& result) { return result ? "" : result.error(); }

}  // namespace

TEST_SUITE("config document") {
  TEST_CASE("kind and apiVersion tell the generation and the release") {
    struct Row {
      const char* sentence;
      const char* text;
      Generation generation;
      const char* release;  ///< "": none.
    };
    const Row rows[] = {
        {"a Policy", "kind: Policy\napiVersion: v1", Generation::kClassic, ""},
        {"a Policy of v1.18", "kind: Policy\napiVersion: kubescheduler.config.k8s.io/v1",
         Generation::kClassic, "v1"},
        {"a configuration",
         "kind: KubeSchedulerConfiguration\napiVersion: kubescheduler.config.k8s.io/v1beta3",
         Generation::kToday, "v1beta3"},
        {"one of an unknown version",
         "kind: KubeSchedulerConfiguration\napiVersion: kubescheduler.config.k8s.io/v9", Generation::kToday,
         ""},
        {"no kind, but profiles", "profiles: []", Generation::kToday, ""},
        {"no kind, but predicates", "predicates: []\napiVersion: kubescheduler.config.k8s.io/v1",
         Generation::kClassic, "v1"},
        {"nothing", "", Generation::kClassic, ""},
        {"no text", "[", Generation::kClassic, ""},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      const ConfigDocument document(row.text);
      CHECK(document.generation() == row.generation);
      CHECK((document.release() ? document.release()->version : "") == row.release);
    }
  }

  TEST_CASE("each way of reading refuses the first repeated key that it does not take") {
    struct Row {
      const char* sentence;
      const char* text;
      const char* strict;
      const char* kubectl;
      bool is_readable;  ///< With each key twice.
    };
    const char* const line2 = "line 2, column 1: not YAML: the key \"a\" is there twice";
    const Row rows[] = {
        {"no key is repeated", "a: 1\nb: 2", "", "", true},
        {"a key is written twice", "a: 1\na: 2", line2, line2, true},
        {"a key is there, and merged in", "x: &x {b: 1}\ny: {<<: *x, b: 2}",
         "line 2, column 4: not YAML: the key \"b\" is there, and merged in", "", true},
        {"a repeated key comes before what is no YAML", "a: 1\na: 2\nb: {", line2, line2, false},
        {"JSON has no such check here", R"({"a": 1, "a": 2})", "", "", true},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      const ConfigDocument document(row.text);
      CHECK(error_of(document.first(Merges::kStrict)) == row.strict);
      CHECK(error_of(document.first(Merges::kKubectl)) == row.kubectl);
      CHECK(document.first(Merges::kTwice).has_value() == row.is_readable);
    }
  }

  TEST_CASE("of v1alpha1 alone a key may be there twice") {
    for (const std::string version : {"v1", "v1alpha1"}) {
      CAPTURE(version);
      const ConfigDocument document(
          "kind: KubeSchedulerConfiguration\napiVersion: kubescheduler.config.k8s.io/" + version +
          "\na: 1\na: 2");
      CHECK(document.first_for_release().has_value() == (version == "v1alpha1"));
    }
  }

  TEST_CASE("what follows the first document is told to who asks for it") {
    struct Row {
      const char* sentence;
      const char* text;
      bool is_there, is_null, is_wrong;
      const char* policy;  ///< The error of a reader of Policies.
    };
    const Row rows[] = {
        {"nothing", "a: 1", false, true, false, ""},
        {"an empty one", "a: 1\n---\n", true, true, false, ""},
        {"another one", "a: 1\n---\nb: 1\n", true, false, false, "line 1, column 1: more than one document"},
        {"one with a key twice", "a: 1\n---\nb: 1\nb: 2\n", true, false, true,
         "line 4, column 1: not YAML: the key \"b\" is there twice"},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      ConfigDocument document(row.text);
      CHECK(document.second().is_there == row.is_there);
      CHECK(document.second().is_null == row.is_null);
      CHECK(document.second().error.has_value() == row.is_wrong);
      CHECK(error_of(ConfigDocument(row.text).nothing_follows()) == row.policy);
    }
  }
}

}  // namespace winnow::test
