#include "extender/replay/replay_report.h"

#include <format>
#include <string_view>

#include "cluster/text/json/json_string.h"
#include "cluster/text/printable.h"
#include "extender/explain/text.h"

namespace winnow {
namespace {

std::string counted(std::uint64_t number, std::string_view one, std::string_view many) {
  return std::format("{} {}", with_thousands(number), number == 1 ? one : many);
}

void append_difference(std::string& out, const DifferentAnswer& one) {
  out += std::format("call {} {}{}{} ({}, line {}):\n", one.call, one.path, one.pod.empty() ? "" : " ",
                     printable(one.pod), one.file, one.line);
  for (const std::string& line : one.lines) out += std::format("  {}\n", printable(line));
}

void add(std::string& out, std::string_view key, std::string_view text) {
  out += std::format(R"("{}":)", key);
  append_quoted(out, text);
}

}  // namespace

void append_report(std::string& out, const ReplayResult& result) {
  out += std::format("{}, {}, {}; recorded by Winnow {}", counted(result.files, "file", "files"),
                     counted(result.changes, "change", "changes"), counted(result.calls, "call", "calls"),
                     printable(result.version));
  if (!result.first.empty())
    out += std::format(", from {} to {}", printable(result.first), printable(result.last));
  out += '\n';
  for (const DifferentAnswer& one : result.differences) append_difference(out, one);
  if (result.different > result.differences.size())
    out += std::format("… and {} more\n", with_thousands(result.different - result.differences.size()));
  std::uint64_t left_out = 0;
  for (const auto& [reason, calls] : result.not_compared) left_out += calls;
  out += std::format("{} equal, {} different, {} not compared\n", with_thousands(result.equal),
                     with_thousands(result.different), with_thousands(left_out));
  for (const auto& [reason, calls] : result.not_compared)
    out += std::format("  {}: {}\n", with_thousands(calls), reason);
}

void append_json(std::string& out, const ReplayResult& result) {
  out += '{';
  add(out, "version", result.version);
  add(out += ',', "revision", result.revision);
  out += std::format(R"(,"files":{},"changes":{},"calls":{},"equal":{},"different":{})", result.files,
                     result.changes, result.calls, result.equal, result.different);
  add(out += ',', "first", result.first);
  add(out += ',', "last", result.last);
  out += R"(,"notCompared":{)";
  const char* joint = "";
  for (const auto& [reason, calls] : result.not_compared) {
    append_quoted(out += joint, reason);
    out += std::format(":{}", calls);
    joint = ",";
  }
  out += R"(},"differences":[)";
  joint = "";
  for (const DifferentAnswer& one : result.differences) {
    out += std::format(R"({}{{"call":{},"line":{},)", joint, one.call, one.line);
    add(out, "file", one.file);
    add(out += ',', "path", one.path);
    add(out += ',', "pod", one.pod);
    add(out += ',', "at", one.at);
    out += R"(,"lines":[)";
    const char* inner_joint = "";
    for (const std::string& line : one.lines) {
      append_quoted(out += inner_joint, line);
      inner_joint = ",";
    }
    out += "]}";
    joint = ",";
  }
  out += std::format(R"(],"complete":{}}})", result.error.empty() && !result.stopped);
}

}  // namespace winnow
