#include "cluster/cel/library/kubernetes_values.h"

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace winnow::cel {
namespace {

constexpr std::string_view name_of(const QuantityValue*) { return "kubernetes.Quantity"; }
constexpr std::string_view name_of(const SemverValue*) { return "kubernetes.Semver"; }
constexpr std::string_view name_of(const IpValue*) { return "net.IP"; }
constexpr std::string_view name_of(const CidrValue*) { return "net.CIDR"; }
constexpr std::string_view name_of(const UrlValue*) { return "kubernetes.URL"; }

/// A value class as a value.
template <class Held>
class Holder : public Opaque {
 public:
  explicit Holder(Held held) : held_(std::move(held)) {}
  const Held& held() const { return held_; }
  std::string_view type_name() const override { return name_of(&held_); }
  Value equal(const Value& other) const override {
    const auto* same = other.is(Kind::kOpaque) ? dynamic_cast<const Holder*>(&other.as_opaque()) : nullptr;
    if (same == nullptr) return no_such_overload(other);
    if constexpr (std::same_as<Held, QuantityValue>)
      if (same->held_.is_sum()) return no_such_overload();
    return Value::boolean(held_ == same->held_);
  }
  std::optional<std::uint64_t> size() const override {
    if constexpr (requires { held_.size(); }) return held_.size();
    return std::nullopt;
  }
  std::string text() const override {
    if constexpr (std::same_as<Held, QuantityValue>)
      return held_.canonical_text();
    else
      return held_.text();
  }

 private:
  Held held_;
};

template <class Held>
const Held* held_in(const Value& value) {
  if (!value.is(Kind::kOpaque)) return nullptr;
  const auto* holder = dynamic_cast<const Holder<Held>*>(&value.as_opaque());
  return holder == nullptr ? nullptr : &holder->held();
}

}  // namespace

Type quantity_type() { return Type::object("kubernetes.Quantity"); }
Type semver_type() { return Type::object("kubernetes.Semver"); }
Type ip_type() { return Type::opaque("net.IP"); }
Type cidr_type() { return Type::opaque("net.CIDR"); }
Type url_type() { return Type::object("kubernetes.URL"); }

Value quantity_value(QuantityValue quantity) { return Value::opaque(new Holder(std::move(quantity))); }
Value semver_value(SemverValue version) { return Value::opaque(new Holder(std::move(version))); }
Value ip_value(IpValue ip) { return Value::opaque(new Holder(ip)); }
Value cidr_value(CidrValue cidr) { return Value::opaque(new Holder(cidr)); }
Value url_value(UrlValue url) { return Value::opaque(new Holder(std::move(url))); }

const QuantityValue* as_quantity(const Value& value) { return held_in<QuantityValue>(value); }
const SemverValue* as_semver(const Value& value) { return held_in<SemverValue>(value); }
const IpValue* as_ip(const Value& value) { return held_in<IpValue>(value); }
const CidrValue* as_cidr(const Value& value) { return held_in<CidrValue>(value); }
const UrlValue* as_url(const Value& value) { return held_in<UrlValue>(value); }

}  // namespace winnow::cel
