// The query part of a request's path.
#pragma once

#include <string>
#include <string_view>

namespace winnow {

/// A path with a query. add() appends "?name=value", then "&name=value". Values are percent-encoded, and
/// empty ones are left out.
class Query {
 public:
  explicit Query(std::string_view path) : text_(path) {}

  Query& add(std::string_view name, std::string_view value);
  const std::string& path() const { return text_; }

 private:
  std::string text_;
  char joint_ = '?';
};

/// The value of a parameter in a query, percent-decoded, with "+" for a blank; "" if it has none.
/// @param query  the part of a path behind '?'.
std::string query_value(std::string_view query, std::string_view name);

}  // namespace winnow
