#include "cluster/text/words.h"

#include <algorithm>
#include <format>
#include <utility>

#include "cluster/text/characters.h"
#include "cluster/text/go_format.h"

namespace winnow {
namespace {

constexpr std::size_t kMaxOffered = 3;
constexpr std::size_t kMaxLength =
    128;  ///< Longer names are no typing errors, and the distance is quadratic.
constexpr std::size_t kFar = kMaxLength;
constexpr std::size_t kMinHeld = 4;  ///< A shorter part says little about the whole.

std::string in_lower_case(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = lower(c);
  return result;
}

/// The number of letters to insert, delete, replace or swap with a neighbour to turn one text into the other.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> two_before(b.size() + 1);
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) before[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({before[j] + 1, row[j - 1] + 1, before[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], two_before[j - 2] + 1);
    }
    std::swap(two_before, before);
    std::swap(before, row);
  }
  return before[b.size()];
}

/// The distance of two names; kFar if they are not near.
std::size_t distance(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty() || a.size() > kMaxLength || b.size() > kMaxLength) return kFar;
  const std::size_t shorter = std::min(a.size(), b.size());
  const std::size_t longer = std::max(a.size(), b.size());
  const std::size_t edits = edit_distance(a, b);
  const std::size_t allowed = std::max<std::size_t>(1, longer / 4);
  if (edits <= allowed && edits < shorter) return edits;
  const bool held = shorter >= kMinHeld && (a.contains(b) || b.contains(a));
  // It ranks behind all typing errors.
  return held ? allowed + 1 : kFar;
}

}  // namespace

std::vector<std::string_view> near_names(std::string_view name, std::span<const std::string_view> known) {
  std::vector<std::pair<std::size_t, std::string_view>> near;
  for (const std::string_view candidate : known) {
    const std::size_t far = distance(in_lower_case(name), in_lower_case(candidate));
    if (far < kFar) near.emplace_back(far, candidate);
  }
  std::ranges::stable_sort(near, {}, &std::pair<std::size_t, std::string_view>::first);
  // A name that differs only in case is the one that was meant.
  if (!near.empty() && near.front().first == 0) near.resize(1);
  if (near.size() > kMaxOffered) near.resize(kMaxOffered);
  std::vector<std::string_view> names;
  for (const auto& entry : near) names.push_back(entry.second);
  return names;
}

std::string did_you_mean(std::string_view name, std::span<const std::string_view> known) {
  return did_you_mean_one_of(near_names(name, known));
}

std::string did_you_mean_one_of(std::span<const std::string_view> names) {
  if (names.empty()) return {};
  std::string text = " (did you mean ";
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
    text += go_quote(names[i]);
  }
  return text + "?)";
}

std::string joined(std::span<const std::string> texts, std::string_view between) {
  std::string list;
  for (std::size_t i = 0; i < texts.size(); ++i) list.append(i == 0 ? "" : between).append(texts[i]);
  return list;
}

std::string joined_and(std::span<const std::string> texts) {
  if (texts.size() < 2) return joined(texts);
  return joined(texts.first(texts.size() - 1)) + " and " + texts.back();
}

std::string shell_word(std::string_view text) {
  const auto is_safe = [](char c) { return is_alphanumeric(c) || std::string_view(":@%+,./_-").contains(c); };
  if (!text.empty() && std::ranges::all_of(text, is_safe)) return std::string(text);
  std::string quoted = "'";
  for (const char c : text)
    if (c == '\'')
      quoted += "'\\''";
    else
      quoted += c;
  return quoted + "'";
}

}  // namespace winnow
