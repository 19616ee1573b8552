// quantity, semver, ip, cidr and url. Upstream: k8s.io/apiserver v0.37.0
// pkg/cel/library/{quantity,semverlib,ip,cidr, urls}.go.
#include <string>

#include "cluster/cel/containers.h"
#include "cluster/cel/library/kubernetes_values.h"
#include "cluster/cel/library/libraries.h"

namespace winnow::cel {
namespace {

template <class Ordering>
int sign_of(Ordering order) {
  return order < 0 ? -1 : order > 0 ? 1 : 0;
}

// Quantities.

const QuantityValue& quantity_in(const Value& value) { return *as_quantity(value); }

Value quantity(Arguments arguments) {
  auto parsed = QuantityValue::parse(arguments[0].text());
  return parsed ? quantity_value(std::move(*parsed)) : Value::error(parsed.error());
}
Value is_quantity(Arguments arguments) {
  return Value::boolean(QuantityValue::parse(arguments[0].text()).has_value());
}
Value quantity_sign(Arguments arguments) { return Value::integer(quantity_in(arguments[0]).sign()); }
Value quantity_is_greater(Arguments arguments) {
  return Value::boolean(quantity_in(arguments[0]) > quantity_in(arguments[1]));
}
Value quantity_is_less(Arguments arguments) {
  return Value::boolean(quantity_in(arguments[0]) < quantity_in(arguments[1]));
}
Value quantity_compare(Arguments arguments) {
  return Value::integer(sign_of(quantity_in(arguments[0]) <=> quantity_in(arguments[1])));
}
Value quantity_float(Arguments arguments) {
  return Value::real(quantity_in(arguments[0]).as_approximate_float());
}
Value quantity_integer(Arguments arguments) {
  const auto units = quantity_in(arguments[0]).as_integer();
  return units ? Value::integer(*units) : Value::error("cannot convert value to integer");
}
Value quantity_is_integer(Arguments arguments) {
  return Value::boolean(quantity_in(arguments[0]).as_integer().has_value());
}
Value result_of(std::optional<QuantityValue> sum) {
  return sum ? quantity_value(*std::move(sum)) : Value::error("the quantity has too many digits");
}
Value quantity_add(Arguments arguments) {
  return result_of(quantity_in(arguments[0]).plus(quantity_in(arguments[1])));
}
Value quantity_add_int(Arguments arguments) {
  return result_of(quantity_in(arguments[0]).plus(QuantityValue::of_units(arguments[1].as_int())));
}
Value quantity_sub(Arguments arguments) {
  return result_of(quantity_in(arguments[0]).minus(quantity_in(arguments[1])));
}
Value quantity_sub_int(Arguments arguments) {
  return result_of(quantity_in(arguments[0]).minus(QuantityValue::of_units(arguments[1].as_int())));
}

void add_quantities(Environment& environment) {
  const Type q = quantity_type();
  const Type i = Type::integer();
  const Type flag = Type::boolean();
  environment.add_function({"quantity", {overload("string_to_quantity", {Type::string()}, q, quantity)}});
  environment.add_function(
      {"isQuantity", {overload("is_quantity_string", {Type::string()}, flag, is_quantity)}});
  environment.add_function({"sign", {overload("quantity_sign", {q}, i, quantity_sign)}});
  environment.add_function(
      {"isGreaterThan", {member("quantity_is_greater_than", {q, q}, flag, quantity_is_greater)}});
  environment.add_function({"isLessThan", {member("quantity_is_less_than", {q, q}, flag, quantity_is_less)}});
  environment.add_function({"compareTo", {member("quantity_compare_to", {q, q}, i, quantity_compare)}});
  environment.add_function(
      {"asApproximateFloat", {member("quantity_get_float", {q}, Type::real(), quantity_float)}});
  environment.add_function({"asInteger", {member("quantity_get_int", {q}, i, quantity_integer)}});
  environment.add_function({"isInteger", {member("quantity_is_integer", {q}, flag, quantity_is_integer)}});
  environment.add_function({"add",
                            {member("quantity_add", {q, q}, q, quantity_add),
                             member("quantity_add_int", {q, i}, q, quantity_add_int)}});
  environment.add_function({"sub",
                            {member("quantity_sub", {q, q}, q, quantity_sub),
                             member("quantity_sub_int", {q, i}, q, quantity_sub_int)}});
}

// Versions.

const SemverValue& version_in(const Value& value) { return *as_semver(value); }

auto parse_version(Arguments arguments) {
  const bool normalize = arguments.size() > 1 && arguments[1].as_bool();
  return normalize ? SemverValue::parse_normalized(arguments[0].text())
                   : SemverValue::parse(arguments[0].text());
}
Value semver(Arguments arguments) {
  auto parsed = parse_version(arguments);
  return parsed ? semver_value(std::move(*parsed)) : Value::error(parsed.error());
}
Value is_semver(Arguments arguments) { return Value::boolean(parse_version(arguments).has_value()); }
Value version_is_greater(Arguments arguments) {
  return Value::boolean(version_in(arguments[0]) > version_in(arguments[1]));
}
Value version_is_less(Arguments arguments) {
  return Value::boolean(version_in(arguments[0]) < version_in(arguments[1]));
}
Value version_compare(Arguments arguments) {
  return Value::integer(sign_of(version_in(arguments[0]) <=> version_in(arguments[1])));
}
Value number(std::uint64_t part) { return Value::integer(static_cast<std::int64_t>(part)); }
Value version_major(Arguments arguments) { return number(version_in(arguments[0]).major()); }
Value version_minor(Arguments arguments) { return number(version_in(arguments[0]).minor()); }
Value version_patch(Arguments arguments) { return number(version_in(arguments[0]).patch()); }

void add_versions(Environment& environment) {
  const Type v = semver_type();
  const Type t = Type::string();
  const Type i = Type::integer();
  const Type flag = Type::boolean();
  environment.add_function({"semver",
                            {overload("string_to_semver", {t}, v, semver),
                             overload("string_bool_to_semver", {t, flag}, v, semver)}});
  environment.add_function({"isSemver",
                            {overload("is_semver_string", {t}, flag, is_semver),
                             overload("is_semver_string_bool", {t, flag}, flag, is_semver)}});
  environment.add_function(
      {"isGreaterThan", {member("semver_is_greater_than", {v, v}, flag, version_is_greater)}});
  environment.add_function({"isLessThan", {member("semver_is_less_than", {v, v}, flag, version_is_less)}});
  environment.add_function({"compareTo", {member("semver_compare_to", {v, v}, i, version_compare)}});
  environment.add_function({"major", {member("semver_major", {v}, i, version_major)}});
  environment.add_function({"minor", {member("semver_minor", {v}, i, version_minor)}});
  environment.add_function({"patch", {member("semver_patch", {v}, i, version_patch)}});
}

// Addresses and networks.

const IpValue& ip_in(const Value& value) { return *as_ip(value); }
const CidrValue& cidr_in(const Value& value) { return *as_cidr(value); }

Value ip(Arguments arguments) {
  const auto parsed = IpValue::parse(arguments[0].text());
  return parsed ? ip_value(*parsed) : Value::error(parsed.error());
}
Value is_ip(Arguments arguments) { return Value::boolean(IpValue::parse(arguments[0].text()).has_value()); }
Value is_canonical(Arguments arguments) {
  const auto parsed = IpValue::parse(arguments[0].text());
  return parsed ? Value::boolean(parsed->text() == arguments[0].text()) : Value::error(parsed.error());
}
Value ip_text(Arguments arguments) { return Value::string(ip_in(arguments[0]).text()); }
Value ip_family(Arguments arguments) { return Value::integer(ip_in(arguments[0]).family()); }
template <bool (IpValue::*holds)() const>
Value of_ip(Arguments arguments) {
  return Value::boolean((ip_in(arguments[0]).*holds)());
}

Value cidr(Arguments arguments) {
  const auto parsed = CidrValue::parse(arguments[0].text());
  return parsed ? cidr_value(*parsed) : Value::error(parsed.error());
}
Value is_cidr(Arguments arguments) {
  return Value::boolean(CidrValue::parse(arguments[0].text()).has_value());
}
Value cidr_text(Arguments arguments) { return Value::string(cidr_in(arguments[0]).text()); }
Value contains_ip(Arguments arguments) {
  return Value::boolean(cidr_in(arguments[0]).contains(ip_in(arguments[1])));
}
Value contains_ip_text(Arguments arguments) {
  const auto parsed = IpValue::parse(arguments[1].text());
  // Upstream loses what is wrong with the address.
  return parsed ? Value::boolean(cidr_in(arguments[0]).contains(*parsed)) : no_such_overload();
}
Value contains_cidr(Arguments arguments) {
  return Value::boolean(cidr_in(arguments[0]).contains(cidr_in(arguments[1])));
}
Value contains_cidr_text(Arguments arguments) {
  const auto parsed = CidrValue::parse(arguments[1].text());
  return parsed ? Value::boolean(cidr_in(arguments[0]).contains(*parsed)) : Value::error(parsed.error());
}
Value cidr_ip(Arguments arguments) { return ip_value(cidr_in(arguments[0]).ip()); }
Value prefix_length(Arguments arguments) { return Value::integer(cidr_in(arguments[0]).prefix_length()); }
Value masked(Arguments arguments) { return cidr_value(cidr_in(arguments[0]).masked()); }

void add_addresses(Environment& environment) {
  const Type a = ip_type();
  const Type t = Type::string();
  const Type flag = Type::boolean();
  environment.add_type_name(a);
  environment.add_function({"ip", {overload("string_to_ip", {t}, a, ip)}});
  environment.add_function({"isIP", {overload("is_ip", {t}, flag, is_ip)}});
  environment.add_function({"ip.isCanonical", {overload("ip_is_canonical", {t}, flag, is_canonical)}});
  environment.add_function({"string", {overload("ip_to_string", {a}, t, ip_text)}});
  environment.add_function({"family", {member("ip_family", {a}, Type::integer(), ip_family)}});
  const auto add = [&](std::string name, std::string id, Implementation call) {
    environment.add_function({std::move(name), {member(std::move(id), {a}, flag, call)}});
  };
  add("isUnspecified", "ip_is_unspecified", of_ip<&IpValue::is_unspecified>);
  add("isLoopback", "ip_is_loopback", of_ip<&IpValue::is_loopback>);
  add("isLinkLocalMulticast", "ip_is_link_local_multicast", of_ip<&IpValue::is_link_local_multicast>);
  add("isLinkLocalUnicast", "ip_is_link_local_unicast", of_ip<&IpValue::is_link_local_unicast>);
  add("isGlobalUnicast", "ip_is_global_unicast", of_ip<&IpValue::is_global_unicast>);
}

void add_networks(Environment& environment) {
  const Type n = cidr_type();
  const Type a = ip_type();
  const Type t = Type::string();
  const Type flag = Type::boolean();
  environment.add_type_name(n);
  environment.add_function({"cidr", {overload("string_to_cidr", {t}, n, cidr)}});
  environment.add_function({"isCIDR", {overload("is_cidr", {t}, flag, is_cidr)}});
  environment.add_function({"string", {overload("cidr_to_string", {n}, t, cidr_text)}});
  environment.add_function({"containsIP",
                            {member("cidr_contains_ip_string", {n, t}, flag, contains_ip_text),
                             member("cidr_contains_ip_ip", {n, a}, flag, contains_ip)}});
  environment.add_function({"containsCIDR",
                            {member("cidr_contains_cidr_string", {n, t}, flag, contains_cidr_text),
                             member("cidr_contains_cidr", {n, n}, flag, contains_cidr)}});
  environment.add_function({"ip", {member("cidr_ip", {n}, a, cidr_ip)}});
  environment.add_function(
      {"prefixLength", {member("cidr_prefix_length", {n}, Type::integer(), prefix_length)}});
  environment.add_function({"masked", {member("cidr_masked", {n}, n, masked)}});
}

// URLs.

const UrlValue& url_in(const Value& value) { return *as_url(value); }

Value url(Arguments arguments) {
  auto parsed = UrlValue::parse(arguments[0].text());
  return parsed ? url_value(std::move(*parsed)) : Value::error(parsed.error());
}
Value is_url(Arguments arguments) { return Value::boolean(UrlValue::is_url(arguments[0].text())); }
Value url_scheme(Arguments arguments) { return Value::string(url_in(arguments[0]).scheme()); }
Value url_host(Arguments arguments) { return Value::string(url_in(arguments[0]).host()); }
Value url_hostname(Arguments arguments) { return Value::string(url_in(arguments[0]).hostname()); }
Value url_port(Arguments arguments) { return Value::string(url_in(arguments[0]).port()); }
Value url_path(Arguments arguments) { return Value::string(url_in(arguments[0]).escaped_path()); }
Value url_query(Arguments arguments) {
  auto* map = new EntryMap;
  Value owner = Value::map(map);
  for (const auto& [name, values] : url_in(arguments[0]).query()) {
    std::vector<Value> items;
    for (const std::string& value : values) items.push_back(Value::string(value));
    map->set(Value::string(name), Value::list_of(std::move(items)));
  }
  return owner;
}

void add_urls(Environment& environment) {
  const Type u = url_type();
  const Type t = Type::string();
  environment.add_function({"url", {overload("string_to_url", {t}, u, url)}});
  environment.add_function({"isURL", {overload("is_url_string", {t}, Type::boolean(), is_url)}});
  environment.add_function({"getScheme", {member("url_get_scheme", {u}, t, url_scheme)}});
  environment.add_function({"getHost", {member("url_get_host", {u}, t, url_host)}});
  environment.add_function({"getHostname", {member("url_get_hostname", {u}, t, url_hostname)}});
  environment.add_function({"getPort", {member("url_get_port", {u}, t, url_port)}});
  environment.add_function({"getEscapedPath", {member("url_get_escaped_path", {u}, t, url_path)}});
  environment.add_function(
      {"getQuery", {member("url_get_query", {u}, Type::map(t, Type::list(t)), url_query)}});
}

}  // namespace

void add_kubernetes_values(Environment& environment) {
  add_urls(environment);
  add_quantities(environment);
  add_addresses(environment);
  add_networks(environment);
  add_versions(environment);
}

}  // namespace winnow::cel
