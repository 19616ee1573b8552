// A parameter that is called during the call it is passed to, and not kept.
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

namespace winnow {

template <class Signature>
class FunctionRef;

/// Refers to a function object of the caller's, as C++26's std::function_ref does. It copies nothing and
/// takes no memory. Unlike that one it may be null. For parameters: what it refers to has to outlive it, and
/// a lambda that initializes a variable of this type does not.
template <class Result, class... Args>
class FunctionRef<Result(Args...)> {
 public:
  FunctionRef(std::nullptr_t = nullptr) {}

  /// Null for a std::function that is empty.
  template <class Function>
    requires(!std::same_as<std::remove_cvref_t<Function>, FunctionRef> &&
             std::is_invocable_r_v<Result, Function&, Args...>)
  FunctionRef(Function&& function) : call_(call<std::remove_reference_t<Function>>) {
    if constexpr (std::is_function_v<std::remove_reference_t<Function>>)
      object_ = reinterpret_cast<void*>(&function);
    else
      object_ = const_cast<void*>(static_cast<const void*>(std::addressof(function)));
    if constexpr (requires { function.operator bool(); })
      if (!function) call_ = nullptr;
  }

  explicit operator bool() const { return call_ != nullptr; }
  Result operator()(Args... args) const { return call_(object_, std::forward<Args>(args)...); }

 private:
  template <class Target>
  static Result call(void* object, Args... args) {
    return std::invoke_r<Result>(*reinterpret_cast<Target*>(object), std::forward<Args>(args)...);
  }

  void* object_ = nullptr;
  Result (*call_)(void*, Args...) = nullptr;
};

}  // namespace winnow
