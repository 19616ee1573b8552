#include "extender/decisions/read_decisions.h"

#include <cstddef>
#include <string_view>
#include <utility>

#include "cluster/text/json/document.h"
#include "cluster/text/json/json_reader.h"
#include "cluster/text/printable.h"

namespace winnow {

// Not in an unnamed namespace: it is found by its argument.
static bool read_fields(const Reader& reader, ToldDecision& decision) {
  return reader.read("time", decision.time) && reader.read("verb", decision.verb) &&
         reader.read("text", decision.text);
}

std::expected<std::vector<ToldDecision>, std::string> read_decisions(std::string json) {
  const auto document = load_document(std::move(json));
  if (!document) return std::unexpected(document.error().text());
  std::string error;
  const Reader root(document->root(), nullptr, error);
  std::vector<ToldDecision> decisions;
  if (!root.expect_object() || !root.read("decisions", decisions)) return std::unexpected(std::move(error));
  if (!root.has("decisions")) return std::unexpected("decisions is missing");
  return decisions;
}

std::string line_of(const ToldDecision& decision) {
  constexpr std::size_t kToSeconds = std::string_view("2026-11-25T12:04:31").size();
  std::string time = decision.time.substr(0, kToSeconds);
  if (const std::size_t t = time.find('T'); t != std::string::npos) time[t] = ' ';
  return printable(time + ' ' + decision.verb + ": " + decision.text);
}

}  // namespace winnow
