#include "extender/metrics/process.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace winnow {
namespace {

std::string read_whole(const char* path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> words;
  while (true) {
    const std::size_t first = text.find_first_not_of(" \n");
    if (first == std::string_view::npos) return words;
    text.remove_prefix(first);
    const std::size_t end = std::min(text.find_first_of(" \n"), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
}

std::optional<std::uint64_t> number_in(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  return number;
}

std::optional<double> ticks_to_seconds(std::optional<std::uint64_t> ticks) {
  const long per_second = sysconf(_SC_CLK_TCK);
  if (!ticks || per_second <= 0) return std::nullopt;
  return static_cast<double>(*ticks) / static_cast<double>(per_second);
}

/// The time of the machine's start, in seconds since 1970.
std::optional<std::uint64_t> boot_time() {
  std::ifstream file("/proc/stat");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("btime ")) return number_in(std::string_view(line).substr(6));
  return std::nullopt;
}

/// Reads /proc/self/stat; see proc(5). The name before the numbers may contain spaces and parentheses.
void read_stat(ProcessFigures& figures) {
  const std::string text = read_whole("/proc/self/stat");
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return;
  const auto words = split(std::string_view(text).substr(name_end + 1));
  // Fields are numbered from 1, and the name is the second.
  const auto field = [&](std::size_t number) -> std::optional<std::uint64_t> {
    return words.size() > number - 3 ? number_in(words[number - 3]) : std::nullopt;
  };
  const auto user = field(14);
  const auto system = field(15);
  if (user && system) figures.cpu_seconds = ticks_to_seconds(*user + *system);
  figures.threads = field(20);
  const auto boot = boot_time();
  const auto started = ticks_to_seconds(field(22));
  if (boot && started) figures.start_time = static_cast<double>(*boot) + *started;
  figures.virtual_bytes = field(23);
  const auto pages = field(24);
  const long page_bytes = sysconf(_SC_PAGESIZE);
  if (pages && page_bytes > 0) figures.resident_bytes = *pages * static_cast<std::uint64_t>(page_bytes);
}

std::optional<std::uint64_t> count_open_fds() {
  std::error_code error;
  std::uint64_t count = 0;
  std::filesystem::directory_iterator entry("/proc/self/fd", error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) ++count;
  // One of them is open to read the directory.
  if (error || count == 0) return std::nullopt;
  return count - 1;
}

}  // namespace

ProcessFigures read_process() {
  ProcessFigures figures;
  read_stat(figures);
  figures.open_fds = count_open_fds();
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    figures.max_fds = limit.rlim_cur;
  return figures;
}

}  // namespace winnow
