// A member of a table's row that every row has to write.
#pragma once

#include <concepts>
#include <utility>

namespace winnow {

/// A value without a default: an aggregate that leaves it out does not compile.
template <class T>
class Required {
 public:
  template <std::convertible_to<T> From>
  constexpr Required(From&& from) : value_(std::forward<From>(from)) {}
  constexpr operator const T&() const { return value_; }

 private:
  T value_;
};

}  // namespace winnow
