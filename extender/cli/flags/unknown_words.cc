#include "extender/cli/flags/unknown_words.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <format>
#include <string_view>

#include "cluster/text/go_format.h"
#include "cluster/text/words.h"

namespace winnow {
namespace {

std::string near_names_text(const std::string& word, const std::vector<std::string>& known) {
  const std::vector<std::string_view> names(known.begin(), known.end());
  return did_you_mean(word, names);
}

}  // namespace

std::vector<std::string> flag_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(sub->get_name());
  return names;
}

std::string unknown_words(const CLI::App& app, bool flags_only) {
  const std::vector<CLI::App*> used = app.get_subcommands();
  const CLI::App& command = used.empty() ? app : *used.front();
  const std::vector<std::string> words = app.remaining(/*recurse=*/true);
  const auto flag = std::ranges::find_if(
      words, [](const std::string& word) { return word.size() > 1 && word.starts_with('-'); });
  if (words.empty() || (flags_only && flag == words.end())) return "";
  if (flag == words.end())
    return "unknown argument " + go_quote(words.front()) +
           (used.empty() ? near_names_text(words.front(), command_names(app)) : "");
  const std::string name = flag->substr(0, flag->find('='));
  const std::vector<std::string> own = flag_names(command);
  // A word before the flag was meant as a command.
  if (used.empty() && words.front() != *flag) return unknown_command(app, words.front());
  const std::string start = "unknown flag " + go_quote(*flag);
  if (std::ranges::contains(own, name))
    return std::format("{}: flags stand behind the command, as in '{} {} {}'", start, app.get_name(),
                       used.empty() ? "COMMAND" : command.get_name(), name);
  if (const std::string near = near_names_text(name, own); !near.empty()) return start + near;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    if (std::ranges::contains(flag_names(*sub), name))
      return std::format("{}: it is one of '{} {}'", start, app.get_name(), sub->get_name());
  return start;
}

std::string unknown_command(const CLI::App& app, const std::string& word) {
  if (app.get_name() == "winnow" && (word == "pending" || word == "nodes"))
    return std::format("unknown command {}: it is one of kubectl's, 'kubectl winnow {}'{}", go_quote(word),
                       word,
                       word == "pending" ? "; 'winnow explain' without a pod explains all that wait" : "");
  return "unknown command " + go_quote(word) + near_names_text(word, command_names(app));
}

}  // namespace winnow
