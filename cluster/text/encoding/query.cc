#include "cluster/text/encoding/query.h"

#include <algorithm>
#include <cstddef>

#include "cluster/text/encoding/percent_encoding.h"

namespace winnow {

Query& Query::add(std::string_view name, std::string_view value) {
  if (value.empty()) return *this;
  text_.append(1, joint_).append(name).append(1, '=').append(percent_encoded(value));
  joint_ = '&';
  return *this;
}

std::string query_value(std::string_view query, std::string_view name) {
  while (!query.empty()) {
    const std::size_t end = std::min(query.find('&'), query.size());
    const std::string_view pair = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    const std::size_t equals = pair.find('=');
    if (pair.substr(0, equals) != name || equals == std::string_view::npos) continue;
    std::string value(pair.substr(equals + 1));
    std::ranges::replace(value, '+', ' ');
    return percent_decoded(value);
  }
  return {};
}

}  // namespace winnow
