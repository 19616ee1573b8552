#include "cluster/text/query.h"

#include "cluster/text/percent_encoding.h"

namespace winnow {

Query& Query::add(std::string_view name, std::string_view value) {
  if (value.empty()) return *this;
  text_.append(1, joint_).append(name).append(1, '=').append(percent_encoded(value));
  joint_ = '&';
  return *this;
}

}  // namespace winnow
