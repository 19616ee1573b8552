#include "extender/cli/completion.h"

#include <algorithm>
#include <cstddef>

#include "cluster/client/access/kubeconfig.h"
#include "cluster/text/characters.h"
#include "extender/cli/flags/flag_table.h"

namespace winnow {
namespace {

// PROGRAM is the program's name, and NAME the same as a word of the shell.

constexpr std::string_view kBash = R"sh(# bash completion of PROGRAM
_NAME() {
  local cur=${COMP_WORDS[COMP_CWORD]} line
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :0) compopt -o default ;;
      :*) ;;
      *) COMPREPLY+=("$line") ;;
    esac
  done < <(PROGRAM __complete "${COMP_WORDS[@]:1:COMP_CWORD-1}" "$cur" 2>/dev/null)
}
complete -F _NAME PROGRAM
)sh";

constexpr std::string_view kZsh = R"sh(#compdef PROGRAM
# zsh completion of PROGRAM
_NAME() {
  local -a found
  found=(${(f)"$(PROGRAM __complete "${(@)words[2,CURRENT]}" 2>/dev/null)"})
  compadd -- ${found:#:*}
  [[ ${found[-1]} == :0 ]] && _files
}
compdef _NAME PROGRAM
)sh";

constexpr std::string_view kFish = R"sh(# fish completion of PROGRAM
function __NAME
  set -l words (commandline -opc) (commandline -ct)
  set -l found (PROGRAM __complete $words[2..-1] 2>/dev/null)
  string match -v ':*' -- $found
  test "$found[-1]" = :0; and __fish_complete_path (commandline -ct)
end
complete -c PROGRAM -f -a '(__NAME)'
)sh";

std::string filled(std::string_view script, std::string_view program) {
  std::string name(program);
  std::ranges::replace(name, '-', '_');
  std::string text(script);
  for (const auto& [word, with] : {std::pair<std::string_view, std::string_view>("PROGRAM", program),
                                   std::pair<std::string_view, std::string_view>("NAME", name)})
    for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += with.size())
      text.replace(at, word.size(), with);
  return text;
}

/// What may stand at the cursor.
struct Offered {
  std::vector<std::string> words;
  bool files = false;
};

Offered values_for(const FlagShape& flag) {
  if (std::ranges::contains(flag.names, "--context"))
    return {live::context_names(live::kubectl_files()), false};
  return {flag.choices, flag.takes_file};
}

/// The command among the words before the cursor: the first that is no flag. Null: there is none yet.
const CommandShape* command_in(const std::vector<CommandShape>& commands,
                               const std::vector<std::string>& words) {
  const auto word = std::ranges::find_if(words.begin(), words.end() - 1,
                                         [](const std::string& one) { return !one.starts_with('-'); });
  if (word == words.end() - 1) return nullptr;
  const auto found = std::ranges::find(commands, *word, &CommandShape::name);
  return found == commands.end() ? nullptr : &*found;
}

Offered offered_at(const std::vector<std::string>& words) {
  const std::vector<CommandShape> commands = winnow_commands();
  const CommandShape* const command = command_in(commands, words);
  Offered offered;
  if (command == nullptr) {
    for (const CommandShape& one : commands) offered.words.push_back(one.name);
    return offered;
  }
  const std::string& before = words.size() > 1 ? words[words.size() - 2] : words.front();
  for (const FlagShape& flag : command->flags)
    if (flag.takes_value && std::ranges::contains(flag.names, before)) return values_for(flag);
  if (words.back().starts_with('-')) {
    for (const FlagShape& flag : command->flags)
      offered.words.insert(offered.words.end(), flag.names.begin(), flag.names.end());
    return offered;
  }
  if (command->name == "completion") return {{"bash", "fish", "zsh"}, false};
  offered.files = command->takes_files;
  return offered;
}

}  // namespace

std::string completion_script(std::string_view shell, std::string_view program) {
  if (shell == "bash") return filled(kBash, program);
  if (shell == "zsh") return filled(kZsh, program);
  return shell == "fish" ? filled(kFish, program) : "";
}

std::string complete_winnow(const std::vector<std::string>& words) {
  std::vector<std::string> asked = words;
  if (asked.empty()) asked.emplace_back();
  // bash gives the "=" of "--output=json" as a word, and other shells all of it as one.
  std::string last = asked.back() == "=" ? "" : asked.back();
  asked.pop_back();
  std::erase(asked, "=");
  std::string kept;
  if (const std::size_t sign = last.find('='); last.starts_with("--") && sign != std::string::npos) {
    asked.push_back(last.substr(0, sign));
    kept = last.substr(0, sign + 1);
    last.erase(0, sign + 1);
  }
  asked.push_back(last);
  const Offered offered = offered_at(asked);
  std::string out;
  for (const std::string& word : offered.words)
    if (word.starts_with(last)) out += kept + printable(word) + '\n';
  return out + std::string(offered.files ? kFileNames : kNoFileNames);
}

}  // namespace winnow
