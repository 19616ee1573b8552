// Text for a terminal: its width, text cut to it, layout options, paragraphs, lists, and parts of names.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "extender/explain/node_names.h"

namespace winnow {

/// The number of columns that `text` takes: its code points. `text` must be valid UTF-8.
std::size_t columns(std::string_view text);

/// `text` in at most `limit` columns, with an ellipsis in place of its middle if it is longer. `limit` must
/// be at least 3.
std::string shorten_middle(std::string_view text, std::size_t limit);

/// The number of bytes of the first `count` characters; all bytes if there are fewer characters.
std::size_t prefix_bytes(std::string_view text, std::size_t count);

// The layout options of a table.

/// Options of append_table() and its parts.
struct TableOptions {
  bool colour = false;         ///< If false, no escape byte is written.
  int width = 80;              ///< The longest line, in columns; below 40 counts as 40; 0: unlimited.
  bool all_nodes = false;      ///< Name all nodes, whatever their number.
  std::size_t max_nodes = 10;  ///< The rows of the matrix otherwise.
  /// The headline counts all failures of a node, as under alwaysCheckAllPredicates.
  bool every_failure = false;
  /// Of a pod that fits nowhere only the nodes nearest to taking it are told in full. Not with all_nodes.
  bool brief = false;
  NodeNames names = {};  ///< What rows, lists and sentences leave out of nodes' names.
};

/// The longest line in columns, after the minimum of 40 is applied; 0: unlimited.
std::size_t line_width(const TableOptions& options);

// Text for a terminal: paragraphs, lists, and the parts of rules' names.

/// 2991 as "2,991".
std::string with_thousands(std::size_t number);

/// "1 node", "2,991 nodes".
std::string count_nodes(std::size_t number);
/// "1 pod", "2,991 pods".
std::string count_pods(std::size_t number);

/// The parts of a rule's name, between which a header may be broken: MaxEBSVolumeCount is Max, EBS, Volume,
/// Count.
std::vector<std::string> name_parts(std::string_view name);

/// Select Graphic Rendition codes. kPlain gives no escape bytes.
inline constexpr std::string_view kPlain = "";
inline constexpr std::string_view kBold = "1";
inline constexpr std::string_view kDim = "2";
inline constexpr std::string_view kRed = "31";
inline constexpr std::string_view kGreen = "32";
inline constexpr std::string_view kYellow = "33";

/// Appends `text` in `style`; without escape bytes if `style` is kPlain.
void append_styled(std::string& out, std::string_view text, std::string_view style);

/// The layout of a paragraph.
struct Setting {
  std::size_t width = 0;            ///< The longest line, in columns; 0: unlimited.
  std::string_view prefix = {};     ///< Before the first line, unstyled.
  std::size_t indent = 0;           ///< Of the lines after the first.
  std::string_view style = kPlain;  ///< Of everything but the prefix.
};

/// Appends `words` with blanks between them, as many on a line as fit, and a newline. A word that is wider
/// than a line is cut. The width must leave some columns beside the prefix and the indent.
void append_words(std::string& out, const std::vector<std::string>& words, const Setting& setting);

/// The same for a text, which is broken at its blanks.
void append_paragraph(std::string& out, std::string_view text, const Setting& setting);

/// The same for a list of names with commas between them. If it would take more than `max_lines` lines, it
/// ends with "… and 2,991 more". 0: any number of lines.
void append_list(std::string& out, const std::vector<std::string_view>& names, std::size_t max_lines,
                 const Setting& setting);

}  // namespace winnow
