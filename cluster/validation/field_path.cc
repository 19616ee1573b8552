#include "cluster/validation/field_path.h"

#include <format>

namespace winnow {

std::string child(std::string_view path, std::string_view field) {
  return path.empty() ? std::string(field) : std::format("{}.{}", path, field);
}

std::string element(std::string_view path, std::size_t index) { return std::format("{}[{}]", path, index); }

std::string member(std::string_view path, std::string_view key) { return std::format("{}[{}]", path, key); }

}  // namespace winnow
