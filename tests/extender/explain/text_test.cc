// Where texts are broken, cut and ended.
#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include "extender/explain/explanation_text.h"
#include "tests/extender/explain/examples.h"

namespace winnow::test {
namespace {

std::string list(const std::vector<std::string>& names, std::size_t max_lines, const Setting& setting) {
  std::string out;
  append_list(out, {names.begin(), names.end()}, max_lines, setting);
  return out;
}

TEST_CASE("explain text: names of rules are broken where a reader would") {
  struct Row {
    std::string_view name;
    std::vector<std::string> parts;
  };
  for (const Row& row : std::vector<Row>{{"MaxEBSVolumeCount", {"Max", "EBS", "Volume", "Count"}},
                                         {"MaxCSIVolumeCountPred", {"Max", "CSI", "Volume", "Count", "Pred"}},
                                         {"my-zone.spread", {"my-", "zone.", "spread"}},
                                         {"rack", {"rack"}},
                                         {"ABC", {"ABC"}},
                                         {"", {}}}) {
    CAPTURE(row.name);
    CHECK(name_parts(row.name) == row.parts);
  }
}

TEST_CASE("explain text: numbers and names are shortened for readers") {
  CHECK(with_thousands(0) == "0");
  CHECK(with_thousands(999) == "999");
  CHECK(with_thousands(1000) == "1,000");
  CHECK(with_thousands(1234567) == "1,234,567");
  CHECK(count_nodes(1) == "1 node");
  CHECK(shorten_middle("node-12", 7) == "node-12");
  CHECK(shorten_middle("node-123", 7) == "nod…123");
  CHECK(shorten_middle("ééééé", 3) == "é…é");
}

TEST_CASE("explain text: paragraphs are broken at blanks, and words only if they must") {
  std::string out;
  append_paragraph(out, "one two  three", {.width = 8, .prefix = "> ", .indent = 2});
  CHECK(out == "> one\n  two\n  three\n");
  out.clear();
  append_paragraph(out, "a 1234567890123", {.width = 6, .indent = 1});
  CHECK(out == "a\n 12345\n 67890\n 123\n");
  out.clear();
  append_paragraph(out, "a b", {.style = kRed});
  CHECK(out == "\x1b[31ma b\x1b[0m\n");
}

TEST_CASE("explain text: lists end with how many are not shown") {
  const std::vector<std::string> names = {"n1", "n2", "n3", "n4", "n5", "n6", "n7", "n8"};
  CHECK(list(names, 1, {.width = 30}) == "n1, n2, n3, n4, n5, n6, n7, n8\n");
  CHECK(list(names, 1, {.width = 29}) == "n1, n2, n3, n4, … and 4 more\n");
  CHECK(list(names, 2, {.width = 20}) == "n1, n2, n3, n4, n5,\nn6, n7, n8\n");
  CHECK(list(names, 0, {.width = 10}) == "n1, n2,\nn3, n4,\nn5, n6,\nn7, n8\n");
}

TEST_CASE("explain text: a list takes the lines it may, whatever the widths") {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < 200; ++i) names.push_back(std::string(i % 23 + 1, 'a'));
  for (std::size_t width = 40; width < 200; ++width) {
    const std::string text = list(names, 2, {.width = width, .prefix = "    ", .indent = 4});
    CAPTURE(width);
    CHECK(lines_of(text).size() <= 2);
    CHECK(widest_line(text) <= width);
    CHECK(text.contains(" more\n"));
  }
}

}  // namespace
}  // namespace winnow::test
