// Amounts in words, for errors.
#pragma once

#include <string>

#include "cluster/api/quantity.h"

namespace winnow {

/// The amount as a person writes it: "1500m", "2", "3Gi", "2G". Upstream knows whether it was written in the
/// binary way or the decimal way, and here that is not known any more. The way with the smaller number is
/// taken, so that a sum of both ways may be told otherwise.
std::string quantity_text(const Quantity& amount);

}  // namespace winnow
