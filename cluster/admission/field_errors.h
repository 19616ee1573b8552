// The fields of an object that an API server would refuse, in its words.
// Upstream: apimachinery pkg/util/validation/field/errors.go v0.37.0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace winnow {

/// A field that an API server would refuse.
struct FieldError {
  std::string path;  ///< "spec.containers[0].image"
  std::string text;  ///< One line that begins with the path: "spec.containers[0].image: Required value".

  bool operator==(const FieldError&) const = default;
};

/// Collects errors. Only the first kMost are kept, each of at most 1 KiB: an object of a request may have
/// very many.
class FieldErrors {
 public:
  static constexpr std::size_t kMost = 100;

  void invalid(std::string_view path, std::string_view value, std::string_view detail);
  void invalid(std::string_view path, std::int64_t value, std::string_view detail);
  /// The value is an object. @param json  as upstream's internal type writes it.
  void invalid_object(std::string_view path, std::string_view json, std::string_view detail);
  void required(std::string_view path, std::string_view detail = {});
  void forbidden(std::string_view path, std::string_view detail);
  void duplicate(std::string_view path, std::string_view value);
  void not_found(std::string_view path, std::string_view value);
  void unsupported(std::string_view path, std::string_view value,
                   std::span<const std::string_view> supported);

  /// Whether no more are kept. A long list needs no further look then.
  bool is_full() const { return kept_.size() == kMost; }
  /// The number of errors that are kept.
  std::size_t count() const { return kept_.size(); }
  std::vector<FieldError> take() { return std::move(kept_); }

 private:
  void add(std::string_view path, std::string_view what, std::string_view detail);

  std::vector<FieldError> kept_;
};

}  // namespace winnow
