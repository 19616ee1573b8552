// Texts of all kinds: quantities, durations, selectors, names, URLs, and what is made safe to show.
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <memory>

#include "cluster/api/decode.h"
#include "cluster/api/names.h"
#include "cluster/api/quantity.h"
#include "cluster/api/resource_name.h"
#include "cluster/api/selector.h"
#include "cluster/client/access/server_url.h"
#include "cluster/client/watch/reflector_status.h"
#include "cluster/text/characters.h"
#include "cluster/text/encoding.h"
#include "cluster/text/go_format.h"
#include "cluster/text/json.h"
#include "cluster/text/words.h"
#include "extender/cli/kubectl/pending_list.h"
#include "extender/config/gates.h"
#include "extender/explain/decision_log.h"
#include "extender/explain/decisions_json.h"
#include "extender/explain/explanation_json.h"
#include "extender/explain/explanation_text.h"
#include "extender/explain/table.h"
#include "extender/operate/api_answers.h"
#include "extender/operate/doctor.h"
#include "extender/service/log/log.h"
#include "extender/service/page/pod_page.h"
#include "extender/service/recheck.h"
#include "tests/fuzz/fuzz.h"

namespace winnow::fuzz {
namespace {

bool is_utf8(std::string_view text) { return find_not_utf8(text) == std::string_view::npos; }

void check_rounding(const Quantity& amount) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  if (amount < Quantity() || amount > Quantity::of_units(kMost / 1000)) return;
  const std::int64_t units = amount.value();
  must(Quantity::of_units(units) >= amount, "value() rounds up");
  must(units == 0 || Quantity::of_units(units - 1) < amount, "value() rounds by less than one");
  const std::int64_t millis = amount.milli_value();
  must(Quantity::of_millis(millis) >= amount, "milli_value() rounds up");
  must(millis == 0 || Quantity::of_millis(millis - 1) < amount, "milli_value() rounds by less than one");
  if (Quantity::of_millis(millis) != amount) return;
  const auto again = Quantity::parse(std::to_string(millis) + "m");
  must(again.has_value() && *again == amount, "an amount that is written is read back");
  must(again->value() == units && again->milli_value() == millis, "it has the same values");
}

void quantity(std::string_view text) {
  const auto lines = lines_of(text);
  const auto amount = Quantity::parse(lines.front());
  if (!amount) return;
  static_cast<void>(amount->value());
  static_cast<void>(amount->milli_value());
  must(amount->is_zero() == (*amount == Quantity()), "zero is equal to zero");
  check_rounding(*amount);
  Quantity sum = *amount;
  sum += Quantity();
  must(sum == *amount, "nothing is added");
  // A leading zero, or a sign that says nothing, is no difference.
  const bool is_signed = lines.front().starts_with('-') || lines.front().starts_with('+');
  if (!is_signed)
    for (const char* sign : {"+", "0", "+00"}) {
      const auto same = Quantity::parse(sign + std::string(lines.front()));
      must(same.has_value() && *same == *amount && same->value() == amount->value(),
           "a leading zero is nothing");
    }
  const auto other = lines.size() > 1 ? Quantity::parse(lines[1]) : std::nullopt;
  if (!other) return;
  Quantity left = *amount, right = *other;
  left += *other;
  right += *amount;
  must(left == right, "a sum does not depend on the order");
  must((*amount < *other) == (*other > *amount), "an order has two directions");
}

void duration(std::string_view text) {
  const auto nanos = parse_go_duration(text);
  if (!nanos) return;
  must(parse_go_duration(std::to_string(*nanos) + "ns") == nanos, "a duration that is written is read back");
}

void base64(std::string_view text) {
  must(from_base64(to_base64(text)) == std::string(text), "bytes in base64 are read back");
  const auto bytes = from_base64(text);
  if (bytes) must(from_base64(to_base64(*bytes)) == *bytes, "decoded base64 is written and read back");
}

void percent(std::string_view text) {
  const std::string encoded = percent_encoded(text);
  must(percent_decoded(encoded) == text, "encoded text is read back");
  must(std::ranges::all_of(encoded,
                           [](char c) {
                             return c == '%' || c == '-' || c == '.' || c == '_' || c == '~' ||
                                    is_alphanumeric(c);
                           }),
       "encoded text has no other characters", encoded);
  static_cast<void>(percent_decoded(text));
  const std::string path = Query("/a").add("b", text).add("c", "d").path();
  must(std::ranges::count(path, '&') == (text.empty() ? 0 : 1), "a value adds no parameter", path);
}

void shown(std::string_view text) {
  const std::string safe = printable(text);
  must(is_one_line(safe), "printable() gives one line", safe);
  must(printable(safe) == safe, "it changes nothing the second time", safe);
  for (const std::size_t most : {std::size_t{0}, std::size_t{7}, kMostSaidBytes, kMostLineBytes}) {
    const std::string line = one_line(text, most);
    must(line.size() <= most + 3 && printable(line) == line, "a line is short, and steers nothing", line);
  }
  for (const std::size_t most : {std::size_t{7}, kMostQuoted}) {
    const std::string quoted = go_quote(text, most);
    must(printable(quoted) == quoted && quoted.size() <= 10 * most + 5, "nor does a quoted text", quoted);
  }
  const std::array fields = {LogField("key", text)};
  const std::string logged = format_log_line({}, LogLevel::kInfo, text, fields);
  must(is_one_line(logged), "a line of the log is one line", logged);
}

void utf8(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t length = utf8_length(text, at);
    if (length == 0) break;
    must(length <= 4 && at + length <= text.size(), "a character ends in the text");
    must(utf8_code(text.substr(at, length)) <= 0x10ffff, "a character has a code point");
    at += length;
  }
  must(find_not_utf8(text) == (at == text.size() ? std::string_view::npos : at), "both find the same place");
  for (const std::size_t most :
       {std::size_t{0}, std::size_t{1}, std::size_t{3}, text.size() / 2, text.size()}) {
    const std::string_view prefix = utf8_prefix(text, most);
    must(text.starts_with(prefix) && prefix.size() <= most, "a prefix is a prefix");
    must(!is_utf8(text) || is_utf8(prefix), "a prefix of UTF-8 is UTF-8");
    must(!is_utf8(text) || prefix.size() + 3 >= std::min(most, text.size()), "it is as long as it can be");
  }
}

/// KEY, OPERATOR, and a value on each further line.
SelectorRequirement requirement_of(std::string_view text) {
  const auto lines = lines_of(text);
  SelectorRequirement written;
  written.key = lines[0];
  if (lines.size() > 1) written.op = lines[1];
  for (std::size_t i = 2; i < lines.size(); ++i) written.values.emplace_back(lines[i]);
  return written;
}

void check_parsed(const SelectorRequirement& written, const std::expected<Requirement, std::string>& parsed) {
  if (!parsed) return must(!parsed.error().empty(), "an error has upstream's words");
  must(is_qualified_name(parsed->key), "the key of a requirement is a label key", parsed->key);
  must(std::ranges::is_sorted(parsed->values), "its values are sorted");
  SelectorRequirement again = written;
  again.values = parsed->values;
  const auto same = parse_requirement(again);
  must(same.has_value() && *same == *parsed, "a requirement that is written is read back");
  const Selector one = Selector::all_of({*parsed});
  must(one == Selector::all_of({*parsed, *parsed}), "repetition is nothing");
  must(one.hash() == Selector::all_of({*same, *parsed}).hash(), "equal selectors have equal hashes");
  StringMap labels;
  must(one.matches(labels) == matches(*parsed, nullptr), "both matchers agree");
  const std::string value = written.values.empty() ? "x" : written.values.front();
  labels[parsed->key] = value;
  must(one.matches(labels) == matches(*parsed, &value), "both matchers agree");
}

void selector(std::string_view text) {
  const SelectorRequirement written = requirement_of(text);
  const auto parsed = parse_requirement(written);
  const auto label = parse_label_requirement(written);
  check_parsed(written, parsed);
  check_parsed(written, label);
  if (label) must(parsed.has_value() && *parsed == *label, "a label requirement is one of nodes too");
  LabelSelector whole;
  whole.match_expressions = {written};
  whole.match_labels[written.key] = written.values.empty() ? "" : written.values.front();
  const auto selector = parse_label_selector(whole);
  if (selector) must(label.has_value(), "a selector has valid requirements");
  const Taint taint{.key = written.key, .value = written.values.empty() ? "" : written.values.front()};
  const Toleration toleration{.key = written.key, .op = written.op, .value = taint.value};
  static_cast<void>(tolerates(toleration, taint));
  static_cast<void>(match_fields({written}, text));
  static_cast<void>(selector_from_set_v116(whole.match_labels));
  must(selector_from_set(whole.match_labels).matches(whole.match_labels), "a set matches itself");
}

void names(std::string_view text) {
  using enum Generation;
  for (const Generation generation : {kClassic, kToday}) {
    const std::string key = label_key_errors(text, generation);
    must(key.empty() == is_qualified_name(text), "both know a label key", key);
    const std::string value = label_value_errors(text, generation);
    must(value.empty() == is_valid_label_value(text), "both know a label value", value);
    for (const std::string& error : {key, value})
      if (!error.empty()) check_error(error);
  }
  const std::string name = object_name_errors(text);
  if (!name.empty()) check_error(name);
  if (name.empty())
    must(is_dns_subdomain(text) && percent_encoded(text) == text, "a name is a part of a path");
  const std::string ns = namespace_name_errors(text);
  if (ns.empty()) must(is_dns_label(text) && name.empty(), "a namespace's name is a name");
  must(!is_extended_resource(text) || !is_native_resource(text), "an extended resource is not native");
  must(!is_extended_resource(text) || is_scalar_resource(text), "an extended resource is a scalar one");
  const auto number = parse_int64(text);
  if (number) must(parse_int64(std::to_string(*number)) == number, "a number that is written is read back");
}

void url(std::string_view text) {
  const auto parsed = live::parse_server_url(text);
  if (!parsed) return check_error(parsed.error());
  const std::string written = (parsed->tls ? "https://" : "http://") + parsed->authority() + parsed->path;
  const auto again = live::parse_server_url(written);
  must(again.has_value(), "an address that is written is read back", written);
  must(again->host == parsed->host && again->port == parsed->port && again->path == parsed->path &&
           again->tls == parsed->tls,
       "it is the same", written);
  must(std::ranges::none_of(written, [](char c) { return is_control(c) || c == ' '; }), "it has no blanks",
       written);
  static_cast<void>(live::is_loopback(parsed->host));
}

void versions(std::string_view text) {
  const auto lines = lines_of(text);
  const std::string_view a = lines.front(), b = lines.back();
  const auto order = live::compare_resource_versions(a, b);
  must(order.has_value() == (live::is_resource_version(a) && live::is_resource_version(b)),
       "versions compare");
  must(!(live::is_older(a, b) && live::is_older(b, a)), "an order has one direction");
  if (order) must((*order == 0) == (a == b), "equal versions are equal texts");
}

void settings(std::string_view text) {
  const auto gates = parse_gates(text);
  if (!gates) check_error(gates.error(), kLongestError + 6 * text.size());  // The operator's own words.
  static constexpr std::array<std::string_view, 4> kKnown = {"PodFitsResources", "HostName", "x", ""};
  const std::string hint = did_you_mean(text, kKnown);
  if (!hint.empty()) check_error(hint);
  static_cast<void>(parse_prefer_avoid_pods(text));
}

void sender(std::string_view text) {
  const auto lines = lines_of(text);
  const auto line = [&](std::size_t i) { return i < lines.size() ? lines[i] : std::string_view(); };
  for (const bool loopback : {false, true}) {
    const auto refused =
        check_sender({.content_type = line(0), .origin = line(1), .host = line(2)}, loopback);
    if (refused) check_error(refused->line);
    if (!line(1).empty()) must(refused.has_value(), "a page is refused");
  }
}

/// What `winnow doctor` reads, and what the page sends.
void answers_for_people(std::string_view text) {
  for (const Sample& sample : read_prometheus_text(text)) must(!sample.name.empty(), "a sample has a name");
  DoctorSetup setup;
  take_flags(std::string(text), setup);
  const std::string body(text);
  static_cast<void>(read_who_am_i(body));
  static_cast<void>(read_allowed(body));
  static_cast<void>(read_minor_version(body));
  static_cast<void>(read_leases(body));
  static_cast<void>(read_gated_pods(body, "gate"));
  static_cast<void>(read_continue(body));
  must(!shell_word(text).empty(), "a word of a shell is not empty");
  static_cast<void>(read_time(body));
  check_error(said_in_status(body));
  static_cast<void>(query_value(text, "limit"));
  const auto pod = pod_as_json(body);
  if (!pod) return check_error(pod.error());
  must(pod_as_json(*pod) == *pod, "a pod that is written as JSON is read back", *pod);
}

/// What a Winnow that runs answers, as kubectl's plugin shows it.
void explanation(std::string_view text) {
  const auto read = read_explanation(std::string(text));
  if (!read) return check_error(read.error());
  for (const int width : {0, 20, 80}) {
    std::string shown;
    append_table(shown, *read, {.width = width});
    append_why(shown, *read, names_of(read->nodes));
    must(std::ranges::none_of(shown, [](char c) { return is_control(c) && c != '\n'; }),
         "no answer steers the terminal", shown);
  }
}

/// The decision whose names are the text.
DecisionRecord decision_about(std::string_view given) {
  const std::string text = utf8_shortened(given, kMostNameBytes);
  DecisionRecord record;
  record.pod = record.uid = record.error = text;
  record.nodes = record.fits = record.scored = 2;
  record.rules = std::make_shared<const RuleNames>(RuleNames{{text}, {text}});
  record.refused = {{0, 1, {{text, 1}}, 0}};
  record.best = {{text, 2, {2}}, {text, 1, {1}}};
  record.victims = {text};
  return record;
}

/// The query of GET /decisions, and its answer as `winnow why` reads it.
void decisions(std::string_view text) {
  const auto query = read_decisions_query(text);
  if (!query) check_error(query.error());
  const std::string body(text);
  DecisionLog log(1);
  log.keep(decision_about(text));
  const std::string json = decisions_json(log, query.value_or(DecisionsQuery()));
  const auto own = read_decisions(json);
  must(own.has_value() && own->size() <= 1, "an answer is read back", json);
  must(read_decisions(decisions_json(log, {}))->size() == 1, "it has the decision", json);
  const auto read = read_decisions(body);
  if (!read) return check_error(read.error());
  for (const auto* const told : {&*own, &*read})
    for (const ToldDecision& decision : *told)
      must(std::ranges::none_of(line_of(decision), is_control), "no decision steers the terminal");
}

constexpr Part kParts[] = {quantity,           duration,    base64,   percent,  shown,    utf8,
                           selector,           names,       url,      versions, settings, sender,
                           answers_for_people, explanation, decisions};

}  // namespace
}  // namespace winnow::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return winnow::fuzz::run_part(data, size, winnow::fuzz::kParts);
}
