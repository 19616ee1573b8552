// What a configuration gives to one rule: a value of the rule's own type. And members of a record that have
// no default.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "cluster/rule/fingerprint.h"

namespace winnow {

/// A value without a default: an aggregate that leaves it out does not compile.
template <class T>
class Required {
 public:
  template <std::convertible_to<T> From>
  constexpr Required(From&& from) : value_(std::forward<From>(from)) {}
  constexpr operator const T&() const { return value_; }
  constexpr const T* operator->() const { return &value_; }

 private:
  T value_;
};

/// A rule's arguments, as its configuration gives them: a struct of the rule's own, or nothing. The struct is
/// declared where the rule reads it, so that a new one rebuilds no other rule. It has no constructor, for
/// every field of it goes into the fingerprint. Immutable: copies share it, and any thread may read it.
class Arguments {
 public:
  Arguments() = default;
  template <class Struct>
    requires(std::is_aggregate_v<std::remove_cvref_t<Struct>>)
  Arguments(Struct&& of)  // NOLINT(google-explicit-constructor): a rule takes its struct as it is.
      : held_(std::make_shared<const Held<std::remove_cvref_t<Struct>>>(std::forward<Struct>(of))) {}

  /// Whether there are none.
  bool empty() const { return held_ == nullptr; }
  /// The struct; null if there is none, or one of another type.
  template <class Struct>
  const Struct* get_if() const {
    return held_ != nullptr && held_->type == &kType<Struct>
               ? &static_cast<const Held<Struct>*>(held_.get())->value
               : nullptr;
  }
  /// The struct. Requires one of this type.
  template <class Struct>
  const Struct& get() const {
    return *get_if<Struct>();
  }
  /// The struct, or the type's defaults where there is none.
  template <class Struct>
  const Struct& get_or_default() const {
    static const Struct kDefaults;
    const Struct* const given = get_if<Struct>();
    return given != nullptr ? *given : kDefaults;
  }
  template <class Struct>
  bool holds() const {
    return get_if<Struct>() != nullptr;
  }

  void add_to(Fingerprint& fingerprint) const {
    fingerprint.add(!empty());
    if (!empty()) held_->add_to(fingerprint);
  }

 private:
  /// One object a type: its address tells the types apart.
  template <class Struct>
  static constexpr char kType = 0;

  struct Anything {
    explicit Anything(const char* of) : type(of) {}
    virtual ~Anything() = default;
    virtual void add_to(Fingerprint& fingerprint) const = 0;
    const char* const type;
  };
  template <class Struct>
  struct Held final : Anything {
    template <class From>
    explicit Held(From&& from) : Anything(&kType<Struct>), value(std::forward<From>(from)) {}
    void add_to(Fingerprint& fingerprint) const override { fingerprint.add(value); }
    const Struct value;
  };

  std::shared_ptr<const Anything> held_;
};

// Values that the arguments of several rules have.

/// A point of a line that turns a utilization into a score.
struct UtilizationPoint {
  std::int64_t utilization = 0;  ///< 0 to 100.
  std::int64_t score = 0;        ///< 0 to 10, as configured; plugins scale it to 100.
  bool operator==(const UtilizationPoint&) const = default;
};
using UtilizationShape = std::vector<UtilizationPoint>;  ///< Utilization increasing.

struct WeighedResource {
  std::string name;
  std::int64_t weight = 1;
  bool operator==(const WeighedResource&) const = default;
};

/// Of a plugin that runs without the extension point that it relies on: it fails wherever it is asked.
struct FailsWith {
  std::string error;
  bool at_pre_score = false;  ///< Of a scoring plugin: its PreScore fails already, not only its Score.
};

struct NodeFact;  // cluster/api/generation.h

/// The numbers of nodes that a rule with these arguments reads. The state keeps those and no others.
using AsksFor = std::vector<NodeFact>(const Arguments&);

}  // namespace winnow
