// Text for a terminal: paragraphs, lists, and names of rules that are broken over lines.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace winnow {

/// 2991 as "2,991".
std::string with_thousands(std::size_t number);

/// "1 node", "2,991 nodes".
std::string count_nodes(std::size_t number);

/// The parts of a rule's name, where a header may be broken: MaxEBSVolumeCount is Max, EBS, Volume, Count.
std::vector<std::string> name_parts(std::string_view name);

/// Select Graphic Rendition codes; none at all where the output is no terminal.
inline constexpr std::string_view kPlain = "";
inline constexpr std::string_view kBold = "1";
inline constexpr std::string_view kDim = "2";
inline constexpr std::string_view kRed = "31";
inline constexpr std::string_view kGreen = "32";
inline constexpr std::string_view kYellow = "33";

/// Appends `text` in `style`; without escape bytes if `style` is kPlain.
void append_styled(std::string& out, std::string_view text, std::string_view style);

/// How a paragraph is set.
struct Setting {
  std::size_t width = 0;            ///< No line is wider; 0 means unlimited.
  std::string_view prefix = {};     ///< Stands before the first line, in no style.
  std::size_t indent = 0;           ///< Of the other lines.
  std::string_view style = kPlain;  ///< Of all but the prefix.
};

/// Appends `words` with blanks between them, as many on a line as fit, and a newline. A word that is wider
/// than a line is cut. Requires room for some columns beside the prefix and the indent.
void append_words(std::string& out, const std::vector<std::string>& words, const Setting& setting);

/// The same for a text, which is broken at its blanks.
void append_paragraph(std::string& out, std::string_view text, const Setting& setting);

/// The same for a list of names with commas between them, which ends with "… and 2,991 more" where it would
/// take more than `max_lines` lines; 0 means as many as it takes.
void append_list(std::string& out, const std::vector<std::string_view>& names, std::size_t max_lines,
                 const Setting& setting);

}  // namespace winnow
