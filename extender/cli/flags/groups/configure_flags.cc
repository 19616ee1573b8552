#include "extender/cli/flags/groups/configure_flags.h"

#include <charconv>
#include <map>

#include "extender/cli/flags/groups/flag_kinds.h"

namespace winnow {
namespace {

const std::map<std::string, Way> kWays = {{"nominate", Way::kNominate},
                                          {"scores", Way::kScores},
                                          {"everything", Way::kEverything},
                                          {"best", Way::kBest}};
const std::map<std::string, ConfigureShows> kShows = {{"diff", ConfigureShows::kDiff},
                                                      {"kube-scheduler", ConfigureShows::kScheduler},
                                                      {"rules", ConfigureShows::kRules}};

/// The first release that has kubescheduler.config.k8s.io/v1.
constexpr int kFirstRelease = 25;

/// Reads "1.37", "v1.37" or "1.37.2". @return 37, or 0.
int minor_of(std::string_view text) {
  if (text.starts_with('v')) text.remove_prefix(1);
  if (!text.starts_with("1.")) return 0;
  int minor = 0;
  const auto [end, error] = std::from_chars(text.data() + 2, text.data() + text.size(), minor);
  const bool is_whole = end == text.data() + text.size() || *end == '.';
  return error == std::errc() && is_whole && minor >= kFirstRelease && minor < 100 ? minor : 0;
}

}  // namespace

void add_configure(CLI::App& app, ConfigureFlags& flags, CommonFlags& common) {
  CLI::App* configure = app.add_subcommand("configure", "Make kube-scheduler's new file, and Winnow's rules");
  configure
      ->add_option("--scheduler-config", flags.scheduler_config,
                   "The file that kube-scheduler has now; - is stdin")
      ->type_name("FILE")
      ->required();
  add_choice(configure, "--way", flags.way, kWays, "How the work is divided: see docs/install.md")
      ->type_name("WAY")
      ->required();
  const auto read_release = [&flags](const std::string& text) {
    flags.release = minor_of(text);
    if (flags.release == 0)
      throw CLI::ValidationError("--for", "\"" + text + "\" is no release from 1.25 on, such as 1.37");
  };
  configure->add_option_function<std::string>("--for", read_release, "kube-scheduler's release [1.37]")
      ->type_name("1.N");
  configure->add_option("--config", common.config, "Winnow's rules, if you have some [made of the same file]")
      ->type_name("FILE");
  configure
      ->add_option("--url-prefix", flags.url_prefix,
                   "Where kube-scheduler reaches Winnow [http://127.0.0.1:10290]")
      ->type_name("URL");
  add_choice(configure, "-o,--output", flags.shows, kShows,
             with_default("What is printed: what changes, or one file", flags.shows, kShows))
      ->type_name("WHAT");
  configure->add_option("--output-dir", flags.output_dir, "Write kube-scheduler.yaml and rules.yaml there")
      ->type_name("DIR");
  add_gates(configure, common);
  configure->footer(
      "WAY is nominate, scores, everything or best; WHAT is diff, kube-scheduler or rules.\n"
      "Your settings stay; comments do not. Nothing is overwritten.\n"
      "Example: winnow configure --scheduler-config kube-scheduler.yaml --way everything");
}

}  // namespace winnow
