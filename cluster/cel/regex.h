// Regular expressions, by RE2, as Go's regexp has them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace re2 {
class RE2;
}

namespace winnow::cel {

/// A compiled expression. Threads may use it at once.
class Regex {
 public:
  explicit Regex(std::string_view pattern);
  Regex(Regex&&) noexcept;
  Regex& operator=(Regex&&) noexcept;
  ~Regex();

  /// What is wrong with the pattern; empty if it is well.
  const std::string& error() const { return error_; }
  /// Whether it matches anywhere in the text.
  bool matches(std::string_view text) const;
  /// The first match; empty if there is none.
  std::string_view find(std::string_view text) const;
  /// All matches that do not overlap, from the left; at most `most` of them if that is not negative.
  std::vector<std::string_view> find_all(std::string_view text, std::int64_t most) const;

 private:
  std::unique_ptr<re2::RE2> regex_;
  std::string error_;
};

}  // namespace winnow::cel
