// YAML that is written is read back as it was, whatever its strings are; and two documents side by side.
#include "extender/operate/yaml_diff.h"

#include <doctest/doctest.h>

#include <format>
#include <random>
#include <string>
#include <vector>

#include "cluster/text/json_document.h"
#include "extender/operate/config_merger.h"

namespace winnow::test {
namespace {

std::string written(const std::string& text) { return to_yaml(load_document(text).value().root()); }

bool reads_back(const std::string& json) {
  const auto was = load_document(json).value();
  const auto is = load_document(to_yaml(was.root()));
  REQUIRE_MESSAGE(is, is.error().text());
  return was.root() == is->root();
}

/// The lines, with a mark before each that is not in both.
std::string diff(const std::string& was, const std::string& is) {
  const auto reason = [](std::string_view path, LineIn, std::string_view) { return std::string(path); };
  std::string text;
  for (const DiffLine& line :
       yaml_diff(load_document(was).value().root(), load_document(is).value().root(), reason))
    text += (line.in == LineIn::kBoth ? " " : line.in == LineIn::kOld ? "-" : "+") + line.text + "\n";
  return text;
}

TEST_SUITE("YAML that is written") {
  TEST_CASE("strings are quoted where a reader would take them for something else") {
    for (const std::string word :
         {"a", "default-scheduler", "http://127.0.0.1:10290", "/etc/x.conf", "1s", "100ms", "5m"})
      CHECK(yaml_string(word) == word);
    for (const std::string word :
         {"",  "y",    "No", "TRUE",   "null",       "~",   "1",   "1.5", "0x1F", "1e3", "12:30:45",
          "-", "a: b", "a:", "# a",    "a #b",       "*",   "&a",  "!t",  "{a",   "[a",  "a]",
          "'", "\"",   "@",  "`",      "%",          "- a", " a",  "a ",  ".inf", "=",   "<<",
          "?", "|",    ">",  "10_000", "2026-01-01", "s",   "a,b", "a\nb"}) {
      CAPTURE(word);
      if (word != "s") CHECK(yaml_string(word).starts_with('"'));
    }
  }

  TEST_CASE("every string is read back, as a value, a key, in flow and in block style") {
    std::mt19937 random(7);
    const std::vector<std::string> parts = {"a",       "Y",
                                            "1",       ":",
                                            " ",       "-",
                                            "#",       ",",
                                            "{",       "}",
                                            "[",       "]",
                                            "\\\\",    "\\\"",
                                            "'",       "\\n",
                                            "\\t",     "\\u0001",
                                            "\\u007f", "\\u0085",
                                            "\\u00a0", "\\u2028",
                                            "\\u2029", "\\ufeff",
                                            "ä",       "\\ud83d\\ude00",
                                            "*",       "&",
                                            "!",       "%",
                                            "@",       "~",
                                            ".",       "0x",
                                            "e",       "_",
                                            "null",    "<<",
                                            "=",       "\\u0000",
                                            "/"};
    for (int i = 0; i < 3000; ++i) {
      std::string word;
      for (auto n = random() % 5; n > 0; --n) word += parts[random() % parts.size()];
      const std::string json =
          std::format(R"({{"k{0}": "{0}", "list": ["{0}", ["{0}", []]], "o": {{"{0}": {{"{0}": "{0}"}}}},
                          "long": [{{"name": "{0}", "text": "0123456789012345678901234567890123456789012345678"}}]}})",
                      word);
      CAPTURE(json);
      CHECK(reads_back(json));
    }
  }

  TEST_CASE("numbers, booleans and null are read back") {
    CHECK(reads_back(R"({"a": 0, "b": -9223372036854775808, "c": 18446744073709551615, "d": 0.1, "e": 1e300,
                         "f": -2.5e-7, "g": true, "h": false, "i": null, "j": {}, "k": [], "l": [null, {}, []]})"));
    for (const std::string root : {"[]", "{}", "[1, [2, [3]]]", R"([{"a": [{"b": {}}]}])"})
      CHECK(reads_back(root));
  }

  TEST_CASE("the style: blocks, and short collections on one line") {
    CHECK(written(R"({"a": {"b": 1}, "c": [{"name": "x"}]})") == "a: {b: 1}\nc: [{name: x}]\n");
    CHECK(
        written(
            R"({"list": [{"name": "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "args": {"a": "yyyyyyyyyyyyyyyyyyyyyyyy"}}]})") ==
        "list:\n- name: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n  args: {a: yyyyyyyyyyyyyyyyyyyyyyyy}\n");
  }

  TEST_CASE("an old value has a reason where nothing replaces it") {
    const auto reason = [](std::string_view, LineIn, std::string_view) { return std::string("why"); };
    const auto reasons = [&](const std::string& was, const std::string& is) {
      std::string text;
      for (const DiffLine& line :
           yaml_diff(load_document(was).value().root(), load_document(is).value().root(), reason))
        text += line.commented() + "\n";
      return text;
    };
    const std::string why(40, ' ');
    CHECK(reasons("a: 1\nb: 2\n", "a: 1\nb: 3\n") == "a: 1\nb: 2\nb: 3" + why + "    # why\n");
    CHECK(reasons("a: 1\nb: 2\n", "a: 1\n") == "a: 1\nb: 2" + why + "    # why\n");
    CHECK(reasons("a: 1\nb: {c: 2}\n", "a: 1\nb: {c: 3}\n") ==
          "a: 1\nb: {c: 2}\nb: {c: 3}" + why.substr(1) + "# why\n");
  }

  TEST_CASE("side by side") {
    CHECK(diff("a: 1\nb: 2\n", "a: 1\nb: 3\nc: 4\n") == " a: 1\n-b: 2\n+b: 3\n+c: 4\n");
    CHECK(diff("a: 1\nb: 2\n", "b: 2\n") == "-a: 1\n b: 2\n");
    const std::string l = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";
    CHECK(diff("l: [{name: a}, {name: b}]\n", "l: [{name: b}, {name: " + l + "}]\n") ==
          " l:\n-- {name: a}\n - {name: b}\n+- name: " + l + "\n");
    CHECK(diff("{}", "a: 1\n") == "-{}\n+a: 1\n");
    CHECK(diff("a: 1\n", "a: 1\n") == " a: 1\n");
  }
}

}  // namespace
}  // namespace winnow::test
