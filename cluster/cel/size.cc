#include "cluster/cel/size.h"

namespace winnow::cel {

std::optional<std::uint64_t> size_of(const Value& value) {
  switch (value.kind()) {
    case Kind::kString:
      return count_characters(value.text());
    case Kind::kBytes:
      return value.text().size();
    case Kind::kList:
      return value.as_list().size();
    case Kind::kMap:
      return value.as_map().size();
    case Kind::kOpaque:
      return value.as_opaque().size();
    default:
      return std::nullopt;
  }
}

}  // namespace winnow::cel
