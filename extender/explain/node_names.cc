#include "extender/explain/node_names.h"

#include <algorithm>
#include <format>
#include <functional>
#include <map>
#include <utility>

namespace winnow {
namespace {

/// What is shorter is not worth a note.
constexpr std::size_t kShortDomain = 6, kShortBeginning = 12;

std::string_view common_prefix(std::string_view a, std::string_view b) {
  return a.substr(0, static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin()));
}

std::string_view common_suffix(std::string_view a, std::string_view b) {
  std::size_t length = 0;
  while (length < std::min(a.size(), b.size()) && a[a.size() - length - 1] == b[b.size() - length - 1])
    ++length;
  return a.substr(a.size() - length);
}

/// The domain that begins in the suffix; something of the shortest name must stay before it.
std::string_view domain_in(std::string_view suffix, std::size_t shortest) {
  const std::size_t dot = suffix.find('.', suffix.size() >= shortest ? suffix.size() - shortest + 1 : 0);
  return dot == std::string_view::npos ? std::string_view() : suffix.substr(dot);
}

/// The part behind the first label that most names have, if more than half do.
std::string_view most_frequent_domain(const std::vector<std::string>& names) {
  std::map<std::string_view, std::size_t> counts;
  for (const std::string& name : names)
    if (const std::size_t dot = name.find('.', 1); dot != std::string::npos)
      ++counts[std::string_view(name).substr(dot)];
  const auto most = std::ranges::max_element(counts, {}, [](const auto& one) { return one.second; });
  return most != counts.end() && most->second > names.size() / 2 ? most->first : std::string_view();
}

}  // namespace

NodeNames::NodeNames(std::vector<std::string> names) : known_(std::move(names)) {
  std::ranges::sort(known_);
  known_.erase(std::ranges::unique(known_).begin(), known_.end());
  if (known_.size() > 1) {
    find_domain();
    find_beginning();
  }
  const auto is_shortened = [this](const std::string& name) { return has_stem(name); };
  shortened_ = static_cast<std::size_t>(std::ranges::count_if(known_, is_shortened));
  // A shortened name that is another node's would be taken for that one.
  const auto misleads = [this](const std::string& name) {
    const std::string shortened = of(name);
    return shortened != name && std::ranges::binary_search(known_, shortened);
  };
  if (std::ranges::any_of(known_, misleads)) *this = NodeNames();
}

void NodeNames::find_domain() {
  std::string_view suffix = known_.front();
  std::size_t shortest = suffix.size();
  for (const std::string& name : known_) {
    suffix = common_suffix(suffix, name);
    shortest = std::min(shortest, name.size());
  }
  std::string_view domain = domain_in(suffix, shortest);
  if (domain.size() < kShortDomain) domain = most_frequent_domain(known_);
  if (domain.size() >= kShortDomain) domain_ = domain;
}

void NodeNames::find_beginning() {
  const auto stem = [this](const std::string& name) {
    return std::string_view(name).substr(0, name.size() - (name.ends_with(domain_) ? domain_.size() : 0));
  };
  std::string_view prefix = stem(known_.front());
  std::size_t shortest = prefix.size();
  for (const std::string& name : known_) {
    prefix = common_prefix(prefix, stem(name));
    shortest = std::min(shortest, stem(name).size());
  }
  prefix = prefix.substr(0, shortest == 0 ? 0 : shortest - 1);  // Something of each name stays.
  prefix = prefix.substr(0, prefix.find_last_of("-.") + 1);
  if (prefix.size() >= kShortBeginning) beginning_ = prefix;
}

bool NodeNames::has_stem(std::string_view name) const {
  return name.size() > beginning_.size() + domain_.size() && name.starts_with(beginning_) &&
         name.ends_with(domain_);
}

std::string NodeNames::of(const std::string& name) const {
  if (!is_left_out() || !has_stem(name) || !std::ranges::binary_search(known_, name)) return name;
  return name.substr(beginning_.size(), name.size() - beginning_.size() - domain_.size());
}

std::string NodeNames::in(std::string_view text) const {
  if (!is_left_out()) return std::string(text);
  constexpr std::string_view kBefore = "(\"'", kBehind = ")\"',;:.…";
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    const std::size_t first = std::min(word.find_first_not_of(kBefore), word.size());
    const std::size_t last = std::max(word.find_last_not_of(kBehind) + 1, first);
    out.append(word.substr(0, first));
    out.append(of(std::string(word.substr(first, last - first))));
    out.append(word.substr(last));
    if (end < text.size()) out += ' ';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string NodeNames::note() const {
  if (!is_left_out()) return "";
  const bool all = shortened_ == known_.size();
  std::string text =
      all ? "Names of nodes " : std::format("Names of {} of {} nodes ", shortened_, known_.size());
  if (!beginning_.empty()) text += "begin with " + beginning_;
  if (!domain_.empty()) text += (beginning_.empty() ? "end in " : " and end in ") + domain_;
  return text + (all ? "." : ", which is left out.");
}

}  // namespace winnow
