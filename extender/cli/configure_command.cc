// `winnow configure`: kube-scheduler's new file and Winnow's rules, of the operator's own file. It prints
// what changes; with --output-dir it writes both files.
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <format>
#include <fstream>
#include <iostream>
#include <system_error>
#include <utility>

#include "cluster/text/source.h"
#include "cluster/text/words.h"
#include "extender/cli/cluster_asker.h"
#include "extender/cli/commands.h"
#include "extender/cli/flags/flag_kinds.h"
#include "extender/cli/flags/flags.h"
#include "extender/config/extenders.h"
#include "extender/config/rules.h"
#include "extender/config/wrapped_config.h"
#include "extender/operate/configure.h"

namespace winnow {
namespace {

namespace fs = std::filesystem;

int refuse(const std::string& line) {
  stderr_line("winnow configure: " + line);
  return kBadInput;
}

std::string rules_name(const CommonFlags& common) {
  return common.config.empty() ? "rules.yaml" : common.config;
}

/// A file to write.
struct Output {
  std::string_view name;
  const std::string& text;
};

/// @return why they cannot be written, or "". Files that are there stay as they are.
std::string write_all(const std::string& folder, const std::vector<Output>& outputs) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return std::format("--output-dir {}: {}", folder, error.message());
  for (const Output& output : outputs)
    if (const fs::path path = fs::path(folder) / output.name; fs::exists(path, error))
      return std::format("{} is there already, and is not overwritten: expected another --output-dir",
                         path.string());
  for (const Output& output : outputs) {
    const fs::path path = fs::path(folder) / output.name;
    std::ofstream file(path, std::ios::binary | std::ios::noreplace);
    file << output.text << std::flush;
    if (!file) return std::format("{}: {}", path.string(), std::strerror(errno));
  }
  return {};
}

void print_diff(const Configured& made, const ConfigureFlags& flags) {
  if (!made.changes_scheduler()) {
    std::cout << flags.scheduler_config << ": stays as it is\n";
    return;
  }
  std::cout << "--- " << flags.scheduler_config << "\n+++ kube-scheduler.yaml\n";
  for (const DiffLine& line : made.diff)
    std::cout << (line.in == LineIn::kBoth  ? ' '
                  : line.in == LineIn::kOld ? '-'
                                            : '+')
              << line.commented() << '\n';
}

void print_start(const Configured& made, const CommonFlags& common, const ConfigureFlags& flags) {
  std::cout << '\n';
  if (!made.form.empty()) std::cout << made.form << '\n';
  if (!made.rules.empty() && flags.output_dir.empty())
    std::cout << "rules.yaml is not written: add -o rules >rules.yaml, or --output-dir DIR\n";
  std::cout << "Start Winnow with:\n  winnow serve --kubeconfig FILE --config "
            << shell_word(rules_name(common));
  for (const std::string& flag : made.flags) std::cout << ' ' << flag;
  std::cout << '\n';
}

}  // namespace

int configure_scheduler(const CommonFlags& common, const ConfigureFlags& flags) {
  auto gates = parse_gates(common.feature_gates);
  if (!gates) return refuse("--feature-gates: " + gates.error());
  const auto file = read_unwrapped(flags.scheduler_config);
  if (!file) return refuse(flags.scheduler_config + ": " + file.error());
  ConfigureWish wish{
      .way = flags.way, .release = flags.release, .url_prefix = flags.url_prefix, .gates = *gates};
  if (flags.scheduler_config != "-") wish.file_name = flags.scheduler_config;
  LoadedRules given;
  if (!common.config.empty()) {
    const auto rules = read_source(common.config, kMaxConfigBytes);
    if (!rules) return refuse(common.config + ": " + rules.error());
    auto loaded = load_rules(common.config, *rules, *gates);
    if (!loaded) return refuse(loaded.error());
    given = std::move(*loaded);
    wish.rules = &given;
  }
  const auto uses = uses_from(common);
  if (!uses) return refuse(uses.error());
  if (*uses) wish.uses = &**uses;
  const auto made = configure(file->text, wish);
  if (!made) {
    for (const std::string& line : made.error()) refuse(flags.scheduler_config + ": " + line);
    return kBadInput;
  }
  if (flags.shows == ConfigureShows::kScheduler) std::cout << made->scheduler;
  if (flags.shows == ConfigureShows::kRules) std::cout << made->rules;
  if (flags.shows == ConfigureShows::kDiff) print_diff(*made, flags);
  if (!file->note.empty()) stderr_line("note: " + file->note + ", and the new text belongs there");
  stderr_lines("warning: ", made->remarks);
  if (!flags.output_dir.empty()) {
    std::vector<Output> outputs{{"kube-scheduler.yaml", made->scheduler}};
    if (!made->changes_scheduler()) outputs.clear();
    if (wish.rules == nullptr) outputs.push_back({"rules.yaml", made->rules});
    if (const std::string wrong = write_all(flags.output_dir, outputs); !wrong.empty()) return refuse(wrong);
    for (const Output& output : outputs)
      stderr_line("wrote " + (fs::path(flags.output_dir) / output.name).string());
  }
  if (flags.shows == ConfigureShows::kDiff) print_start(*made, common, flags);
  std::cout.flush();
  if (!std::cout) return refuse("standard output cannot be written");
  return kDone;
}

}  // namespace winnow
