#include "cluster/files/dump.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <format>
#include <span>
#include <string_view>
#include <system_error>

#include "cluster/text/characters.h"

namespace winnow {
namespace {

constexpr std::string_view kStart = "==== START logs for container ";
constexpr std::string_view kEnd = "==== END logs for container ";
constexpr std::string_view kLineEnd = " ====";  ///< Of both lines.

/// Of a folder: five for each namespace are usual. More are a whole disk.
constexpr std::size_t kMostFiles = 20'000;

/// The next line that begins a log, from `from` on.
std::size_t find_start(std::string_view text, std::size_t from) {
  while (true) {
    const std::size_t at = text.find(kStart, from);
    if (at == std::string_view::npos || at == 0 || text[at - 1] == '\n') return at;
    from = at + kStart.size();
  }
}

}  // namespace

std::string take_out_logs(std::string& text) {
  std::size_t start = find_start(text, 0);
  while (start != std::string::npos) {
    const std::size_t behind = std::min(text.find('\n', start), text.size());
    std::string of = text.substr(start + kStart.size(), behind - start - kStart.size());
    of.resize(std::min(of.rfind(kLineEnd), of.size()));
    // A log may have no newline at its end, so the end may stand anywhere.
    const std::string end = std::format("{}{}{}", kEnd, of, kLineEnd);
    const std::size_t last = text.find(end, behind);
    if (last == std::string::npos)
      return std::format("line {}: the log of container {} has no end: is the dump whole?",
                         1 + std::ranges::count(std::string_view(text).substr(0, start), '\n'), one_line(of));
    const std::span<char> log(text.data() + start, last + end.size() - start);
    std::ranges::replace_if(log, [](char c) { return c != '\n'; }, ' ');
    start = find_start(text, last + end.size());
  }
  return "";
}

std::expected<std::vector<std::string>, std::string> files_of(const std::string& name) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (name == "-" || !fs::is_directory(name, error)) return std::vector{name};
  std::vector<std::string> files;
  fs::recursive_directory_iterator one(name, error);
  const fs::recursive_directory_iterator end;
  for (; !error && one != end && files.size() <= kMostFiles; one.increment(error)) {
    const fs::path& path = one->path();
    if (path.filename().string().starts_with('.')) {
      one.disable_recursion_pending();
      continue;
    }
    const fs::path kind = path.extension() == ".gz" ? path.stem().extension() : path.extension();
    if ((kind == ".json" || kind == ".yaml" || kind == ".yml") && one->is_regular_file(error))
      files.push_back(path.string());
  }
  if (error) return std::unexpected(error.message());
  if (files.size() > kMostFiles)
    return std::unexpected(
        std::format("a folder with more than {} files; expected one of a dump", kMostFiles));
  if (files.empty()) return std::unexpected("a folder without a .json, .yaml or .yml file");
  std::ranges::sort(files);
  return files;
}

}  // namespace winnow
