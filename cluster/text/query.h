// The query of a request's path.
#pragma once

#include <string>
#include <string_view>

namespace winnow {

/// Appends "?name=value", then "&name=value", …; values are percent-encoded, empty ones left out.
class Query {
 public:
  explicit Query(std::string_view path) : text_(path) {}

  Query& add(std::string_view name, std::string_view value);
  const std::string& path() const { return text_; }

 private:
  std::string text_;
  char joint_ = '?';
};

}  // namespace winnow
