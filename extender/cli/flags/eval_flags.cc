#include "extender/cli/flags/eval_flags.h"

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "cluster/text/go_format.h"
#include "cluster/text/json.h"
#include "extender/cli/flags/flag_kinds.h"

namespace winnow {

void add_eval(CLI::App& app, EvalFlags& flags, CommonFlags& common) {
  CLI::App* eval = app.add_subcommand("eval", "Try an expression: its value on each node");
  eval->add_option("EXPRESSION", flags.expression, "In CEL, as rules of your own have it")->type_name("");
  eval->add_option("--pod", flags.pod, "The pod: [NAMESPACE/]NAME, or a file with it")->type_name("POD");
  add_namespace(eval, common);
  eval->add_option("--param", flags.params, "A member of params; repeatable")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  add_nodes(eval, "--nodes", flags.nodes.values, "Ask about these nodes only: as for explain");
  add_node_selector(eval, flags.nodes, "Ask about nodes with these labels only");
  eval->add_option("-o,--output", "wide: as --width 0; json: one object [table]")
      ->type_name("table|wide|json")
      ->check(CLI::IsMember({"table", "wide", "json"}).description(""))
      ->each([&flags](const std::string& word) {
        flags.json = word == "json";
        if (word == "wide" && !flags.width) flags.width = 0;
      });
  eval->add_option("--width", flags.width, "Columns; 0 is no limit [the terminal's, or 80]")
      ->type_name("N")
      ->check(CLI::Range(0, 100000).description(""));
  add_files(eval, common);
  add_live(eval, common);
  eval->add_option("--config", common.config, "Rules: requests are summed as theirs [default]")
      ->type_name("FILE");
  add_gates(eval, common);
  eval->footer(
      "Exit code: 0 it has a value, 1 it fails on a node, 2 bad input.\n"
      "Example: winnow eval 'node.pods < 100' --cluster cluster.json");
}

bool names_file(const std::string& word) {
  const bool named_so =
      std::ranges::any_of(std::initializer_list<std::string_view>{".json", ".yaml", ".yml", ".gz"},
                          [&](std::string_view ending) { return word.ends_with(ending); });
  std::error_code unused;  // A word may be longer than paths are.
  return named_so || word == "-" || std::filesystem::exists(word, unused);
}

void give_back_expression(EvalFlags& flags, CommonFlags& common) {
  std::vector<std::string>& files = common.cluster;
  if (!flags.expression.empty() || files.size() < 2 || names_file(files.back())) return;
  flags.expression = std::move(files.back());
  files.pop_back();
}

namespace {

/// Whether the text is one value of JSON.
bool is_json_value(std::string text) {
  const std::size_t size = text.size();
  text.append(kJsonPadding, '\0');
  rapidjson::Document unused;
  return !JsonText(text.data(), size).only(unused);
}

}  // namespace

std::expected<std::string, std::string> params_json(const std::vector<std::string>& params) {
  std::string json;
  for (const std::string& param : params) {
    const std::size_t sign = param.find('=');
    if (sign == 0 || sign == std::string::npos)
      return std::unexpected("--param: " + go_quote(param) + " is not KEY=VALUE");
    json += json.empty() ? R"({"params":{)" : ",";
    append_quoted(json, param.substr(0, sign));
    json += ':';
    const std::string value = param.substr(sign + 1);
    if (is_json_value(value))
      json += value;
    else
      append_quoted(json, value);
  }
  return json.empty() ? json : json + "}}";
}

}  // namespace winnow
