// The fields of a recording's line, or of an object in one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace winnow {

/// One JSON object, whose text must outlive this. The functions that read a field keep the first error, and
/// give an empty value then: ask error() when all is read. Used by one thread.
class LineFields {
 public:
  /// A text that is no object has an error and no fields.
  explicit LineFields(std::string_view json);

  /// The key of the first member; "": there is none.
  std::string_view first() const { return fields_.empty() ? std::string_view() : fields_.front().first; }
  bool has(std::string_view key) const { return find(key).has_value(); }
  /// The value as JSON text.
  std::string_view raw(std::string_view key) { return required(key, "a value"); }
  std::string text(std::string_view key);
  std::uint64_t number(std::string_view key);
  double real(std::string_view key);
  bool truth(std::string_view key);
  /// The same, for a field that may be absent.
  bool is_set(std::string_view key) { return has(key) && truth(key); }
  std::string text_or_none(std::string_view key) { return has(key) ? text(key) : std::string(); }
  std::vector<std::string> texts(std::string_view key);
  /// The index of the field's text among the words.
  std::size_t word(std::string_view key, std::span<const std::string_view> words);
  /// The members of an object, by their keys, in order.
  std::vector<std::pair<std::string, std::string_view>> members(std::string_view key);

  /// `config: is missing; expected a string`; "": all is well.
  const std::string& error() const { return error_; }
  /// Sets the error, if there is none yet.
  void fail(std::string_view key, std::string_view found, std::string_view expected);

 private:
  std::optional<std::string_view> find(std::string_view key) const;
  std::string_view required(std::string_view key, std::string_view expected);

  std::vector<std::pair<std::string_view, std::string_view>> fields_;  ///< Raw.
  std::string error_;
};

}  // namespace winnow
