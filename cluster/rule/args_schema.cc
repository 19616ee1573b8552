#include "cluster/rule/args_schema.h"

#include <format>

#include "cluster/api/names.h"

namespace winnow {

bool read_fields(const Reader& r, UtilizationPoint& point) {
  return r.read("utilization", point.utilization) && r.read("score", point.score);
}

bool read_fields(const Reader& r, WeighedResource& resource) {
  resource.weight = 0;
  return r.read("name", resource.name) && r.read("weight", resource.weight);
}

FieldResult check_resources(const std::vector<WeighedResource>& resources, std::string_view path) {
  for (std::size_t i = 0; i < resources.size(); ++i) {
    const auto& [name, weight] = resources[i];
    if (weight <= 0 || weight > kMaxPercent)
      return invalid(child(element(path, i), "weight"), weight,
                     std::format("resource weight of {} not in valid range (0, 100]", name));
  }
  return {};
}

FieldResult check_range(std::string_view path, std::int64_t value, std::int64_t least, std::int64_t most) {
  if (value >= least && value <= most) return {};
  return invalid(path, value, std::format("not in valid range [{}, {}]", least, most));
}

FieldResult check_label_name(std::string_view path, std::string_view name) {
  const std::string errors = label_key_errors(name, Generation::kToday);
  return errors.empty() ? FieldResult() : invalid(path, name, errors);
}

/// Upstream: validateFunctionShape.
FieldResult check_shape(const UtilizationShape& shape, std::string_view path) {
  constexpr std::int64_t kMaxShapeScore = 10;
  if (shape.empty()) return required(path, "at least one point must be specified");
  for (std::size_t i = 1; i < shape.size(); ++i)
    if (shape[i - 1].utilization >= shape[i].utilization)
      return invalid(child(element(path, i), "utilization"), shape[i].utilization,
                     "values must be sorted in increasing order");
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::string point = element(path, i);
    if (auto good = check_range(child(point, "utilization"), shape[i].utilization, 0, kMaxPercent); !good)
      return good;
    if (auto good = check_range(child(point, "score"), shape[i].score, 0, kMaxShapeScore); !good) return good;
  }
  return {};
}

FieldResult label_name_required(const std::string& name, std::string_view path) {
  return name.empty() ? required(path, "") : check_label_name(path, name);
}

}  // namespace winnow
