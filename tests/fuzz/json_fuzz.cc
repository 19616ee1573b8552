// JSON and YAML: the fast scanner beside RapidJSON, lists read item by item, documents written as JSON.
#include <algorithm>
#include <array>
#include <cstdint>

#include "cluster/text/characters.h"
#include "cluster/text/json.h"
#include "cluster/text/json_document.h"
#include "cluster/text/json_scan.h"
#include "tests/fuzz/fuzz.h"

namespace winnow::fuzz {
namespace {

/// What the parser says of the inside of a string, and of the size of a number. The scanner looks at neither.
bool is_inside(std::string_view error) {
  constexpr std::array<std::string_view, 7> kTexts = {
      "not UTF-8",        "Invalid escape character", "Incorrect hex digit",  "surrogate pair",
      "Invalid encoding", "a closing quotation mark", "a number is too large"};
  return std::ranges::any_of(kTexts, [&](std::string_view text) { return error.contains(text); });
}

void one_value(std::string_view text) {
  JsonScan scan(text);
  const std::string_view value = scan.value();
  const bool scanned = scan.expect_end();
  if (!scanned) check_error(scan.error());
  std::string buffer;
  rapidjson::Document document;
  const std::string error = parse(text, buffer, document);
  if (error.empty()) must(scanned, "what RapidJSON reads the scanner reads", scan.error());
  if (!error.empty()) check_error(error);
  if (scanned && !error.empty()) must(is_inside(error), "what the scanner reads RapidJSON reads", error);
  if (!error.empty()) return;
  // The value ends at the same place, whatever is behind it.
  for (const std::string_view behind : {" ", ",", "]", "}", "\n{}", "x"}) {
    const std::string longer = std::string(value) + std::string(behind);
    if (value.front() != '{' && value.front() != '[' && value.front() != '"') break;
    JsonScan more(longer);
    must(more.value() == value, "a value ends where it ends", longer);
  }
  const std::string written = json_of(document);
  rapidjson::Document again;
  must(parse(written, buffer, again).empty(), "a value that is written is read back", written);
  must(json_of(again) == written, "it is the same", written);
}

void one_string(std::string_view text) {
  std::string quoted;
  append_quoted(quoted, text);
  std::string back;
  must(unescape(quoted, back), "a quoted text is a string", quoted);
  must(find_not_utf8(back) == std::string_view::npos, "it is UTF-8", quoted);
  if (find_not_utf8(text) == std::string_view::npos) must(back == text, "it is the same text", quoted);
  JsonScan whole(quoted);
  must(whole.string() == quoted && whole.expect_end(), "the scanner finds its end", quoted);

  const std::string raw = '"' + std::string(text) + '"';
  JsonScan scan(raw);
  const bool scanned = scan.string() == raw && scan.expect_end();
  if (!unescape(raw, back)) return;
  must(scanned, "what RapidJSON reads as a string the scanner does too", raw);
  must(key_is(raw, back) && key_is(raw, "Pod") == equal_but_for_case(back, "Pod"), "keys compare as texts",
       raw);
}

/// The members that the scanner finds are those of the document, with the same values.
void members(std::string_view text) {
  std::string buffer;
  rapidjson::Document document;
  const bool valid = parse(text, buffer, document).empty();
  JsonScan scan(text);
  std::size_t found = 0;
  read_members(scan, [&](std::string_view key) {
    const std::string_view value = scan.value();
    if (!valid || scan.failed() || !document.IsObject()) return;
    must(found < document.MemberCount(), "the scanner finds no more members");
    const auto& member = *(document.MemberBegin() + static_cast<std::ptrdiff_t>(found++));
    std::string name;
    must(unescape('"' + std::string(key) + '"', name), "a key is a string", key);
    must(name == std::string_view(member.name.GetString(), member.name.GetStringLength()), "it is the key",
         key);
    std::string own;
    rapidjson::Document inner;
    must(parse(value, own, inner).empty() && json_of(inner) == json_of(member.value), "it is the value",
         value);
  });
  if (valid && document.IsObject())
    must(!scan.failed() && found == document.MemberCount(), "the scanner finds each member", scan.error());
}

void list(std::string_view text) {
  std::string buffer;
  rapidjson::Document whole;
  const std::string error = parse(text, buffer, whole);
  std::string taken(text);
  auto list = JsonList::find(taken);
  if (!list) return must(taken == text, "a text that is no list is left as it is");
  rapidjson::Document frame;
  const auto framed = list->read_frame(frame);
  std::vector<std::string> items;
  const auto read = list->for_each([&](const rapidjson::Document& element, std::size_t index) {
    must(index == items.size(), "elements come in order");
    items.push_back(json_of(element));
    return true;
  });
  must(error.empty() == (framed.has_value() && read.has_value()),
       "list and document are read or refused alike",
       error + (framed ? "" : framed.error().text()) + (read ? "" : read.error().text()));
  if (!error.empty()) return;
  must(frame.MemberCount() == whole.MemberCount(), "the frame has all members");
  for (std::size_t i = 0; i < whole.MemberCount(); ++i) {
    const auto& member = *(whole.MemberBegin() + static_cast<std::ptrdiff_t>(i));
    const auto& framed_member = *(frame.MemberBegin() + static_cast<std::ptrdiff_t>(i));
    must(json_of(member.name) == json_of(framed_member.name), "the frame has the keys");
    if (json_of(member.name) != "\"items\"") {
      must(json_of(member.value) == json_of(framed_member.value), "the frame has the values");
      continue;
    }
    if (!member.value.IsArray() || framed_member.value.Size() > 0) continue;  // An "items" with an escape.
    must(member.value.Size() == items.size(), "the list has all items");
    for (rapidjson::SizeType at = 0; at < member.value.Size(); ++at)
      must(json_of(member.value[at]) == items[at], "the list has the items", items[at]);
  }
}

/// Documents of any form, each written as JSON and read again.
void documents(std::string_view text, Merges merges) {
  DocumentReader reader{std::string(text), merges};
  for (;;) {
    rapidjson::Document document;
    const auto more = reader.next(document);
    if (!more) return check_error(more.error().text());
    if (!*more) return;
    const std::string written = json_of(document);
    std::string buffer;
    rapidjson::Document again;
    must(parse(written, buffer, again).empty(), "a document that is written as JSON is read back", written);
    must(json_of(again) == written, "it is the same document", written);
    if (!document.IsObject() && !document.IsArray()) continue;
    const auto loaded = load_document(written);
    must(loaded.has_value() && json_of(loaded->root()) == written, "it is the same by another reader",
         written);
  }
}

void documents_of_kubectl(std::string_view text) { documents(text, Merges::kKubectl); }
void documents_of_configurations(std::string_view text) {
  documents(text, Merges::kStrict);
  const auto one = load_document(std::string(text));
  if (!one) check_error(one.error().text());
}

constexpr Part kParts[] = {
    one_value, one_string, members, list, documents_of_kubectl, documents_of_configurations,
};

}  // namespace
}  // namespace winnow::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return winnow::fuzz::run_part(data, size, winnow::fuzz::kParts);
}
