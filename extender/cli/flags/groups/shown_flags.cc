#include "extender/cli/flags/groups/shown_flags.h"

#include <string_view>

namespace winnow {
namespace {

/// The text between the brackets at the end of a help; "" if it has none.
std::string default_in(std::string_view help) {
  const std::size_t open = help.rfind('[');
  if (!help.ends_with(']') || open == std::string_view::npos) return {};
  return std::string(help.substr(open + 1, help.size() - open - 2));
}

std::string value_of(const CLI::Option& option) {
  const bool is_switch = option.get_items_expected_max() == 0;
  if (option.count() == 0) {
    std::string unless_given = default_in(option.get_description());
    return is_switch && unless_given.empty() ? "false" : unless_given;
  }
  if (is_switch) return option.as<bool>() ? "true" : "false";
  std::string text;
  for (const std::string& word : option.results()) text += (text.empty() ? "" : ",") + word;
  return text;
}

}  // namespace

std::map<std::string, std::string> shown_flags(const CLI::App& command) {
  std::map<std::string, std::string> shown;
  for (const CLI::Option* option : command.get_options())
    if (!option->get_lnames().empty() && !option->get_lnames().front().starts_with("help"))
      shown.emplace(option->get_lnames().front(), value_of(*option));
  return shown;
}

}  // namespace winnow
