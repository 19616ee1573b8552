#include "cluster/text/other_texts.h"

#include <algorithm>
#include <array>
#include <format>

#include "cluster/text/characters.h"

namespace winnow {
namespace {

constexpr std::string_view kBlank = " \t\r\n";

std::string_view without_blanks(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlank), text.size()));
  return text;
}

std::string_view first_line(std::string_view text) { return text.substr(0, text.find_first_of("\r\n")); }

bool is_described(std::string_view text) {
  return text.starts_with("Name:  ") &&
         (text.contains("\nNamespace:  ") || text.contains("\nLabels:  ") || text.contains("\nRoles:  "));
}

/// The head of a table has names of columns alone, the first of which is NAME or NAMESPACE.
bool is_table(std::string_view text) {
  const std::string_view head = first_line(text);
  if (!head.starts_with("NAME ") && !head.starts_with("NAMESPACE ")) return false;
  return std::ranges::none_of(head, [](char c) { return c >= 'a' && c <= 'z'; });
}

bool is_error_of_kubectl(std::string_view text) {
  constexpr std::string_view kBeginnings[] = {"Error from server",
                                              "error: ", "Unable to connect to the server",
                                              "The connection to the server", "No resources found"};
  return std::ranges::any_of(kBeginnings, [&](std::string_view one) { return text.starts_with(one); });
}

}  // namespace

bool is_unrendered(std::string_view text) {
  const std::size_t at = text.find("{{");
  if (at == std::string_view::npos) return false;
  if (const std::string_view begin = without_blanks(text);
      begin.starts_with('[') || (begin.starts_with('{') && !begin.starts_with("{{")))
    return false;
  const std::string_view rest = text.substr(at);
  return std::ranges::any_of(std::to_array<std::string_view>({".Values", ".Release", ".Chart", "{{-", "{{/*",
                                                              "{{ include", "{{ template"}),
                             [&](std::string_view one) { return rest.contains(one); });
}

std::string other_text(std::string_view text) {
  if (is_unrendered(text)) return std::string(kUnrendered);
  constexpr std::string_view kInstead = "expected what 'kubectl get' prints with -o json or -o yaml";
  text = without_blanks(text);
  if (is_described(text)) return std::format("what 'kubectl describe' prints for people: {}", kInstead);
  if (is_table(text)) return std::format("a table of 'kubectl get': {}", kInstead);
  if (is_error_of_kubectl(text))
    return std::format("no object, but what kubectl said: {}", one_line(first_line(text)));
  if (text.starts_with("<!DOCTYPE") || text.starts_with("<html"))
    return "a page of HTML; expected JSON or YAML, as behind the link Raw of a repository";
  return "";
}

}  // namespace winnow
