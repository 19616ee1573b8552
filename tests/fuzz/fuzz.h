// What the fuzz targets share: assertions, the parts of an input, and what holds for every error.
//
// A target is a file TARGET_fuzz.cc with one LLVMFuzzerTestOneInput. The first byte of an input selects the
// part of the target, and the rest is the text that is read. So every seed of the corpus is a file that one
// can read. Numbers that a part needs, such as places to cut, are computed from the text.
#pragma once

#include <rapidjson/document.h>

#include <cstddef>
#include <cstdint>
#include <expected>
#include <random>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace winnow::fuzz {

/// Ends the process if the condition is false: libFuzzer keeps the input then. `more` says what was found.
void must(bool condition, std::string_view what, std::string_view more = "",
          std::source_location where = std::source_location::current());

/// An input: the part of the target, and the text.
struct Input {
  unsigned part = 0;
  std::string text;
};
/// The input of `size` bytes. Its first byte selects the part: 'a' the first one, 'b' the next, and so on.
Input split(const std::uint8_t* data, std::size_t size, unsigned parts);

/// A part of a target, which reads a text.
using Part = void (*)(std::string_view text);
/// Has the part that the input selects read its text. @return 0, as libFuzzer wants it.
int run_part(const std::uint8_t* data, std::size_t size, std::span<const Part> parts);

/// A generator whose numbers follow from the text.
std::mt19937 random_of(std::string_view text);
/// The text, cut into pieces of 1 to `longest` bytes, the sizes of which follow from the text.
std::vector<std::string_view> pieces_of(std::string_view text, std::size_t longest);
/// The lines of a text, without their ends. A text without a line end is one line.
std::vector<std::string_view> lines_of(std::string_view text);

/// The longest error about what is not the operator's own, in bytes.
inline constexpr std::size_t kLongestError = 4000;
/// Checks that an error is one line of printable UTF-8, not empty, and not long.
void check_error(std::string_view error, std::size_t longest = kLongestError,
                 std::source_location where = std::source_location::current());
/// Whether the text is one line of UTF-8 without control characters.
bool is_one_line(std::string_view text);

/// A value as JSON, without white space, members in their order. Equal values give equal texts.
std::string json_of(const rapidjson::Value& value);
/// Parses a text that is one JSON value, by the parser of cluster/text/json. Strings point into `buffer`.
/// @return the error; "" if there is none.
std::string parse(std::string_view text, std::string& buffer, rapidjson::Document& document);
/// Whether an object in the value has two equal keys.
bool has_equal_keys(const rapidjson::Value& value);

/// A file in memory with these bytes, for readers that take a file's name.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes);
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  const std::string& name() const { return name_; }

 private:
  int fd_;
  std::string name_;
};

}  // namespace winnow::fuzz
