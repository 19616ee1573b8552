#include "extender/cli/flags/flag_table.h"

#include <CLI/CLI.hpp>
#include <ranges>
#include <string_view>

namespace winnow {

CommandShape shape_of(const CLI::App& command) {
  CommandShape shape{.name = command.get_name(), .flags = {}};
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional()) {
      shape.takes_files =
          shape.takes_files || option->get_name() == "FILES" || option->get_name() == "RECORDING";
      continue;
    }
    FlagShape flag;
    for (const std::string& name : option->get_snames()) flag.names.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) flag.names.push_back("--" + name);
    const std::string type = option->get_type_name();
    flag.takes_value = option->get_items_expected_max() > 0 && option->get_items_expected_min() > 0;
    flag.takes_file = flag.takes_value && (type == "FILE" || type == "DIR");
    if (flag.takes_value && type.contains('|'))
      for (const auto word : std::views::split(type, '|')) flag.choices.emplace_back(std::string_view(word));
    shape.flags.push_back(std::move(flag));
  }
  return shape;
}

}  // namespace winnow
