// A recording, played from its beginning to its end, where two answers differ, and what was found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/function_ref.h"
namespace winnow {

class RecordingReader;
class Workers;

/// The first differences of two JSON texts, a line each: `FailedNodes.n-1: "Insufficient cpu", now nothing`.
/// Elements of a list with a Host or a name are called by it. Texts that are not JSON are compared as they
/// are.
std::vector<std::string> find_differences(std::string_view recorded, std::string_view now, std::size_t most);

// A recording, played from its beginning to its end.

/// A call that is answered otherwise now.
struct DifferentAnswer {
  std::uint64_t call = 0;
  std::string file;  ///< And the line of the answer in it.
  std::uint64_t line = 0;
  std::string path, at, pod;
  std::vector<std::string> lines;  ///< See find_differences().
};

struct ReplayResult {
  std::string version, revision;  ///< Of the Winnow that has recorded it.
  std::size_t files = 0;
  std::uint64_t changes = 0;
  std::uint64_t calls = 0;
  std::uint64_t equal = 0;
  std::uint64_t different = 0;
  std::map<std::string, std::uint64_t> not_compared;  ///< By the reason.
  std::string first, last;                            ///< When the first and the last call was.
  std::vector<DifferentAnswer> differences;           ///< The first ones.
  std::vector<std::string> notes;
  std::string error;     ///< Of the recording, in one line: it was played up to there. "": none.
  bool stopped = false;  ///< The caller did not want to go on.
};

struct ReplayOptions {
  std::size_t most_differences = 10;
  /// Asked now and then whether to go on. Null: yes.
  FunctionRef<bool(const ReplayResult& so_far)> go_on = nullptr;
};

ReplayResult replay(RecordingReader& recording, Workers& workers, const ReplayOptions& options);

// What a replay has found, in words or as JSON.

/// Some lines of text.
void append_report(std::string& out, const ReplayResult& result);
/// One object, on one line.
void append_json(std::string& out, const ReplayResult& result);

}  // namespace winnow
