// Kubernetes' value classes as values of the language. What supplies objects to expressions makes values by
// these.
#pragma once

#include "cluster/cel/ip_value.h"
#include "cluster/cel/quantity_value.h"
#include "cluster/cel/semver_value.h"
#include "cluster/cel/type.h"
#include "cluster/cel/url_value.h"
#include "cluster/cel/value.h"

namespace winnow::cel {

Type quantity_type();
Type semver_type();
Type ip_type();
Type cidr_type();
Type url_type();

Value quantity_value(QuantityValue quantity);
Value semver_value(SemverValue version);
Value ip_value(IpValue ip);
Value cidr_value(CidrValue cidr);
Value url_value(UrlValue url);

// Null if the value is of another type.
const QuantityValue* as_quantity(const Value& value);
const SemverValue* as_semver(const Value& value);
const IpValue* as_ip(const Value& value);
const CidrValue* as_cidr(const Value& value);
const UrlValue* as_url(const Value& value);

}  // namespace winnow::cel
