#include "cluster/fields/v1_types.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <utility>

namespace winnow {
namespace {

using Kind = V1Type::Kind;
using Shape = V1Type::Shape;

/// "OBJECT.FIELD [list |map ]TYPE", sorted. `today -v1-fields` of tests/oracle prints it, from upstream's
/// types.
constexpr auto kRows = std::to_array<std::string_view>({
#include "cluster/fields/v1_fields.inc"
});

bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

V1Type parse(std::string_view text) {
  V1Type type;
  if (take(text, "list "))
    type.shape = Shape::kList;
  else if (take(text, "map "))
    type.shape = Shape::kMap;
  constexpr std::pair<std::string_view, Kind> kKinds[] = {
      {"bool", Kind::kBool},           {"int", Kind::kInt},           {"string", Kind::kString},
      {"timestamp", Kind::kTimestamp}, {"quantity", Kind::kQuantity}, {"dyn", Kind::kAny}};
  const auto known = std::ranges::find(kKinds, text, &std::pair<std::string_view, Kind>::first);
  type.kind = known == std::end(kKinds) ? Kind::kObject : known->second;
  if (type.kind == Kind::kObject) type.object = text;
  return type;
}

using Fields = std::map<std::pair<std::string_view, std::string_view>, V1Type>;

const Fields& fields() {
  static const Fields kFields = [] {
    Fields all;
    for (const std::string_view row : kRows) {
      const std::size_t dot = row.find('.'), space = row.find(' ');
      all.emplace(std::pair(row.substr(0, dot), row.substr(dot + 1, space - dot - 1)),
                  parse(row.substr(space + 1)));
    }
    return all;
  }();
  return kFields;
}

}  // namespace

V1Type V1Type::element() const {
  V1Type type = *this;
  type.shape = Shape::kOne;
  return type;
}

std::optional<V1Type> find_v1_field(std::string_view object, std::string_view field) {
  const auto found = fields().find({object, field});
  if (found == fields().end()) return std::nullopt;
  return found->second;
}

void for_each_v1_field(const std::function<void(std::string_view, std::string_view, const V1Type&)>& visit) {
  for (const auto& [names, type] : fields()) visit(names.first, names.second, type);
}

}  // namespace winnow
