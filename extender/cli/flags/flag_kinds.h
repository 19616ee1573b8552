// Lines on standard error, for people, and options of the kinds that several commands have.
//
// What a command says of its input has words of others in it: names of files and pods, texts of
// configurations, what servers answer. None of them may steer the terminal. So all that commands say there
// passes through stderr_line(), whatever its parts were, and no other code writes to std::cerr. The log has a
// writer of its own (extender/service/log/log.h).
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "cluster/text/characters.h"
#include "cluster/text/go_format.h"
#include "extender/cli/flags/help.h"

namespace winnow {

/// Writes one_line() of the text, in at most kMostLineBytes, as a line.
inline void stderr_line(std::string_view text) { std::cerr << one_line(text, kMostLineBytes) << '\n'; }

/// Writes a line for each text, with `start` before it.
inline void stderr_lines(const std::string& start, std::span<const std::string> texts) {
  for (const std::string& text : texts) stderr_line(start + text);
}

/// Writes a text of several lines, such as a help's, each as stderr_line() does.
inline void stderr_text(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    stderr_line(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

// Internal: options of the kinds that several commands have, and the defaults in their help. Only the .cc
// files that add flags include this.

// The help of a flag ends with its default, which is the field's value before the command line is parsed.

inline std::string with_default(const std::string& help, const std::string& value) {
  return help + " [" + value + "]";
}

inline std::string with_default(const std::string& help, std::integral auto value) {
  return with_default(help, std::to_string(value));
}

/// @param words  the names of all values.
template <class T>
std::string with_default(const std::string& help, T value, const std::map<std::string, T>& words) {
  return with_default(help,
                      std::ranges::find(words, value, [](const auto& pair) { return pair.second; })->first);
}

/// In Go's notation: in seconds if the value is whole seconds.
inline std::string with_default(const std::string& help, std::chrono::milliseconds value) {
  const auto whole = std::chrono::duration_cast<std::chrono::seconds>(value);
  return whole == value ? with_default(help, std::to_string(whole.count()) + "s")
                        : with_default(help, std::to_string(value.count()) + "ms");
}

/// Checks that a value is a whole number from 0 to `most`.
inline CLI::Validator whole_number(std::uint64_t most) {
  const auto check = [most](const std::string& text) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool good = error == std::errc() && end == text.data() + text.size() && number <= most;
    return good ? "" : go_quote(text) + " is not a whole number from 0 to " + std::to_string(most);
  };
  return CLI::Validator(check, "");
}

/// Adds a duration option, in Go's notation, of whole milliseconds.
inline CLI::Option* add_duration(CLI::App* app, const std::string& name, std::chrono::milliseconds& value,
                                 const std::string& help) {
  const auto read = [&value, name](const std::string& text) {
    const auto parsed = parse_go_duration(text);
    if (!parsed || *parsed < 0)
      throw CLI::ValidationError(name, "\"" + text + "\" is not a duration, such as 60s or 1m30s");
    const std::chrono::nanoseconds exact(*parsed);
    value = std::chrono::duration_cast<std::chrono::milliseconds>(exact);
    if (value != exact)
      throw CLI::ValidationError(name, "\"" + text + "\" is not a whole number of milliseconds");
  };
  return app->add_option_function<std::string>(name, read, with_default(help, value))->type_name("DURATION");
}

/// Adds an option whose value is one of a few words. @param help  with the default.
template <class Value, class T>
CLI::Option* add_choice(CLI::App* app, const std::string& name, Value& value,
                        const std::map<std::string, T>& words, const std::string& help) {
  std::string list;
  for (const auto& [word, meaning] : words) list += (list.empty() ? "" : "|") + word;
  return app
      ->add_option_function<std::string>(
          name, [&value, &words](const std::string& word) { value = words.at(word); }, help)
      ->check(CLI::IsMember(words).description(""))
      ->type_name(list);
}

/// A list of words between commas, which may be empty.
inline CLI::Option* add_list(CLI::App* app, const std::string& name, std::vector<std::string>& value,
                             const std::string& type, const std::string& help) {
  const auto read = [&value](const std::string& text) {
    value.clear();
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find(',', begin), text.size());
      if (end > begin) value.push_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
  };
  // With "=" and nothing behind it the list is empty, and the next flag is not its value.
  return app->add_option_function<std::string>(name, read, help)->type_name(type)->expected(0, 1);
}

/// Adds -o, --all-nodes and --width of a command that prints a table or JSON. @param help  of -o.
inline void add_table_output(CLI::App* app, bool& json, bool& all_nodes, std::optional<int>& width,
                             const std::string& help) {
  app->add_option("-o,--output", help)
      ->type_name("table|wide|json")
      ->check(CLI::IsMember({"table", "wide", "json"}).description(""))
      ->each([&json, &width](const std::string& word) {
        json = word == "json";
        if (word == "wide" && !width) width = 0;
      });
  app->add_flag("--all-nodes", all_nodes, "Show every node in the table");
  app->add_option("--width", width, "Columns; 0 is no limit [the terminal's, or 80]")
      ->type_name("N")
      ->check(CLI::Range(0, 100000).description(""));
}

/// Adds --pods and --replicas: the new pods that a command places.
inline void add_new_pods(CLI::App* app, std::vector<std::string>& files,
                         std::optional<std::uint32_t>& replicas) {
  app->add_option("--pods", files, "Place the pods of files: Pods, Deployments, ...")
      ->type_name("FILE")
      ->expected(1, -1);
  app->add_option("--replicas", replicas, "Replicas of each of their workloads [as written]")
      ->type_name("N")
      ->check(whole_number(std::numeric_limits<std::int32_t>::max()));
}

/// The group of options that only a page of their own shows. CLI11 has hidden ones too, and leaves their
/// names out of its errors.
inline constexpr const char* kOnOtherPages = "On pages of their own";

/// Writes help without the options of kOnOtherPages.
class HelpFormatter final : public CLI::Formatter {
 public:
  std::string make_group(std::string group, bool positional,
                         std::vector<const CLI::Option*> options) const override {
    return group == kOnOtherPages ? "" : CLI::Formatter::make_group(group, positional, options);
  }

  /// Without the second empty line that a group of other pages would leave.
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    std::string help = CLI::Formatter::make_help(app, std::move(name), mode);
    if (const std::size_t lines = help.find("\n\n\n"); lines != std::string::npos) help.erase(lines, 1);
    return fold_help(help);
  }
};

/// Writes such a page, which has all of its options.
class PageFormatter final : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    return fold_help(CLI::Formatter::make_help(app, std::move(name), mode));
  }
};

/// A page of help of its own, for flags that few want.
struct HelpPage {
  const char* flag;     ///< The flag that prints it: "--help-tls".
  const char* about;    ///< What its flags are for, in a line.
  const char* command;  ///< The command line that they belong to.
};

/// Adds options that only a page of their own shows, and the flag for that page. The command's help has none
/// of them where HelpFormatter writes it.
/// @param add  adds the options, bound to the flags' fields. The page has them with the fields' defaults.
/// @return the options.
template <class Flags>
std::vector<CLI::Option*> add_with_own_help(CLI::App& app, Flags& flags, void (*add)(CLI::App&, Flags&),
                                            const HelpPage& page) {
  const std::size_t before = app.get_options().size();
  add(app, flags);
  std::vector<CLI::Option*> own = app.get_options();
  own.erase(own.begin(), own.begin() + static_cast<std::ptrdiff_t>(before));
  for (CLI::Option* option : own) option->group(kOnOtherPages);
  const auto print = [add, page] {
    Flags unused;
    CLI::App shown(page.about, page.command);
    shown.formatter(std::make_shared<PageFormatter>());
    shown.get_formatter()->column_width(37);
    shown.set_help_flag();
    add(shown, unused);
    std::cout << shown.help();
    throw CLI::Success();
  };
  app.add_flag_callback(page.flag, print)->group(kOnOtherPages);
  return own;
}

}  // namespace winnow
