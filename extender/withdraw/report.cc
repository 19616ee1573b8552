// What a withdrawal prints.
#include <format>

#include "cluster/text/json/json_string.h"
#include "cluster/text/printable.h"
#include "extender/withdraw/withdraw.h"

namespace winnow {
namespace {

std::string line_of(const Withdrawn& one, const WithdrawOptions& options) {
  const bool cleared = one.result == WithdrawResult::kCleared;
  const std::string_view word = cleared && options.dry_run ? "would clear" : to_string(one.result);
  std::string text = std::format("{:<{}}{}: ", word, options.dry_run ? 13 : 9, one.pod);
  text += one.node.empty() ? "the gate " + options.gate : "the nomination for " + one.node;
  return text + (one.why.empty() ? "" : ": " + one.why);
}

}  // namespace

std::string report_text(const WithdrawReport& report) {
  std::string text;
  for (const Withdrawn& one : report.all) text += printable(line_of(one, report.options)) + '\n';
  if (!report.unseen.empty()) text += printable(report.unseen) + '\n';
  return text + std::format("{} {}, {} left, {} failed\n", report.count(WithdrawResult::kCleared),
                            report.options.dry_run ? "would be cleared" : "cleared",
                            report.count(WithdrawResult::kLeft), report.count(WithdrawResult::kFailed));
}

std::string report_json(const WithdrawReport& report) {
  std::string text = std::format(R"({{"dryRun":{},"cleared":{},"left":{},"failed":{})",
                                 report.options.dry_run, report.count(WithdrawResult::kCleared),
                                 report.count(WithdrawResult::kLeft), report.count(WithdrawResult::kFailed));
  const auto member = [&text](std::string_view key, const std::string& value) {
    text.append(",\"").append(key).append("\":");
    append_quoted(text, printable(value));
  };
  if (!report.unseen.empty()) member("unseen", report.unseen);
  text += R"(,"pods":[)";
  bool first = true;
  for (const Withdrawn& one : report.all) {
    text += first ? R"({"pod":)" : R"(,{"pod":)";
    append_quoted(text, one.pod);
    if (one.node.empty())
      member("gate", report.options.gate);
    else
      member("nomination", one.node);
    member("result", std::string(to_string(one.result)));
    if (!one.why.empty()) member("why", one.why);
    text += '}';
    first = false;
  }
  return text + "]}\n";
}

}  // namespace winnow
