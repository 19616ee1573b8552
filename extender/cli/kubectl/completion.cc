#include "extender/cli/kubectl/completion.h"

#include <algorithm>
#include <chrono>
#include <format>
#include <memory>

#include "cluster/access/kubeconfig.h"
#include "cluster/api/object_name.h"
#include "cluster/text/encoding/percent_encoding.h"
#include "cluster/text/printable.h"
#include "extender/cli/flags/kubectl_flags.h"
#include "extender/cli/kubectl/api_reader.h"

namespace winnow {
namespace {

constexpr std::string_view kBash = R"sh(# bash completion of kubectl-winnow
_kubectl_winnow() {
  local cur=${COMP_WORDS[COMP_CWORD]} line
  COMPREPLY=()
  while IFS= read -r line; do
    [[ $line == :* ]] || COMPREPLY+=("$line")
  done < <(kubectl-winnow __complete "${COMP_WORDS[@]:1:COMP_CWORD-1}" "$cur" 2>/dev/null)
}
complete -F _kubectl_winnow kubectl-winnow
)sh";

constexpr std::string_view kZsh = R"sh(#compdef kubectl-winnow
# zsh completion of kubectl-winnow
_kubectl_winnow() {
  local -a found
  found=(${(f)"$(kubectl-winnow __complete "${(@)words[2,CURRENT]}" 2>/dev/null)"})
  compadd -- ${found:#:*}
}
compdef _kubectl_winnow kubectl-winnow
)sh";

constexpr std::string_view kFish = R"sh(# fish completion of kubectl-winnow
function __kubectl_winnow
  set -l words (commandline -opc) (commandline -ct)
  kubectl-winnow __complete $words[2..-1] 2>/dev/null | string match -v ':*'
end
complete -c kubectl-winnow -f -a '(__kubectl_winnow)'
)sh";

constexpr std::string_view kNoFiles = ":4\n";  // cobra.ShellCompDirectiveNoFileComp
constexpr std::string_view kFileNames = ":0\n";
constexpr int kMost = 500;

/// The names of the objects. A name that Kubernetes does not allow is left out: a shell would read it.
std::vector<std::string> names_at(ApiReader& api, const std::string& path) {
  std::vector<std::string> names;
  if (auto list = api.get(std::format("{}?limit={}", path, kMost)))
    for (ObjectName& object : read_names(std::move(*list)))
      if (is_dns_subdomain(object.name)) names.push_back(std::move(object.name));
  return names;
}

/// The names in the cluster, by the flags that the words have; none where it cannot be asked.
std::vector<std::string> cluster_names(const std::vector<std::string>& words, std::string_view plural) {
  // Nobody sees what a plugin asks for at the prompt.
  const live::ExecPlugins::Options at_tab{.has_input = false, .limit = std::chrono::seconds(10)};
  live::ClientFlags flags{.kubeconfig = value_among(words, "--kubeconfig", ""),
                          .context = value_among(words, "--context", ""),
                          .masters = {},
                          .as_kubectl = true,
                          .plugins = std::make_shared<live::ExecPlugins>(at_tab)};
  const auto api = ApiReader::make(flags);
  if (!api) return {};
  if (plural != "pods") return names_at(**api, std::format("/api/v1/{}", plural));
  std::string ns = value_among(words, "--namespace", "-n");
  if (ns.empty()) ns = (*api)->context_namespace();
  return names_at(**api, std::format("/api/v1/namespaces/{}/pods", percent_encoded(ns)));
}

/// The values of a flag; nothing for one that takes none, or a file.
std::vector<std::string> values_of(std::string_view flag, const std::vector<std::string>& words) {
  const bool list = !words.empty() && (words.front() == "nodes" || words.front() == "pending");
  if (flag == "-n" || flag == "--namespace") return cluster_names(words, "namespaces");
  if (flag == "--nodes") return cluster_names(words, "nodes");
  if (flag == "--context") {
    const std::string file = value_among(words, "--kubeconfig", "");
    return live::context_names(file.empty() ? live::kubectl_files() : std::vector{file});
  }
  if (flag == "-o" || flag == "--output")
    return list ? std::vector<std::string>{"table", "wide", "json", "name"}
                : std::vector<std::string>{"table", "json"};
  return {};
}

std::vector<std::string> arguments_of(const std::vector<std::string>& words) {
  const std::string& command = words.front();
  if (command == "completion") return {"bash", "fish", "zsh"};
  if (command == "explain" || command == "why" || command == "nodes") return cluster_names(words, "pods");
  return {};
}

std::vector<std::string> candidates(const std::vector<std::string>& words) {
  const std::string& before = words.size() > 1 ? words[words.size() - 2] : words.back();
  if (words.size() > 1 && takes_value(before)) return values_of(before, words);
  if (words.back().starts_with('-')) return kubectl_flag_names(words.front());
  const bool has_command = words.size() > 1 && !words.front().starts_with('-');
  if (!has_command) return {"completion", "explain", "nodes", "pending", "why", "withdraw"};
  return arguments_of(words);
}

/// The words with the command first, and "--namespace=x" at the cursor as two words. Shells put values of
/// that form behind the "=" themselves, and bash gives the "=" as a word.
std::vector<std::string> tidy(std::vector<std::string> words) {
  std::string last;
  if (!words.empty()) {
    last = std::move(words.back());
    words.pop_back();
  }
  std::erase(words, "=");
  put_command_first(words);
  if (last == "=") last.clear();
  const std::size_t sign = last.find('=');
  if (last.starts_with('-') && sign != std::string::npos) {
    words.push_back(last.substr(0, sign));
    last.erase(0, sign + 1);
  }
  words.push_back(std::move(last));
  return words;
}

}  // namespace

std::string_view completion_script(std::string_view shell) {
  if (shell == "bash") return kBash;
  if (shell == "zsh") return kZsh;
  return shell == "fish" ? kFish : std::string_view();
}

std::string complete(const std::vector<std::string>& words) {
  const std::vector<std::string> asked = tidy(words);
  const std::string& before = asked.size() > 1 ? asked[asked.size() - 2] : asked.back();
  if (before == "--kubeconfig" || before == "--config") return std::string(kFileNames);
  // Of `--nodes a,b` the last name is completed.
  const std::string& unfinished = asked.back();
  const std::size_t comma = before == "--nodes" ? unfinished.rfind(',') : std::string::npos;
  const std::string kept = comma == std::string::npos ? "" : unfinished.substr(0, comma + 1);
  std::string out;
  for (const std::string& word : candidates(asked))
    if ((kept + word).starts_with(unfinished)) out += kept + printable(word) + '\n';
  return out + std::string(kNoFiles);
}

}  // namespace winnow
