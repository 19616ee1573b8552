// The names that operators have as functions. Upstream: cel-go v0.29.2 common/operators/operators.go.
#pragma once

#include <string_view>

namespace winnow::cel::operators {

inline constexpr std::string_view kConditional = "_?_:_";
inline constexpr std::string_view kAnd = "_&&_";
inline constexpr std::string_view kOr = "_||_";
inline constexpr std::string_view kNot = "!_";
inline constexpr std::string_view kNotStrictlyFalse = "@not_strictly_false";
inline constexpr std::string_view kEquals = "_==_";
inline constexpr std::string_view kNotEquals = "_!=_";
inline constexpr std::string_view kLess = "_<_";
inline constexpr std::string_view kLessEquals = "_<=_";
inline constexpr std::string_view kGreater = "_>_";
inline constexpr std::string_view kGreaterEquals = "_>=_";
inline constexpr std::string_view kIn = "@in";
inline constexpr std::string_view kAdd = "_+_";
inline constexpr std::string_view kSubtract = "_-_";
inline constexpr std::string_view kMultiply = "_*_";
inline constexpr std::string_view kDivide = "_/_";
inline constexpr std::string_view kModulo = "_%_";
inline constexpr std::string_view kNegate = "-_";
inline constexpr std::string_view kIndex = "_[_]";
inline constexpr std::string_view kOptIndex = "_[?_]";
inline constexpr std::string_view kOptSelect = "_?._";
/// The accumulator of a macro's loop.
inline constexpr std::string_view kResult = "@result";

}  // namespace winnow::cel::operators
