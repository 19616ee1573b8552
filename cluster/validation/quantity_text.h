// Amounts in words, for errors.
#pragma once

#include <string>

#include "cluster/api/quantity.h"

namespace winnow {

/// The amount as a person writes it: "1500m", "2", "3Gi". How it was written is not known any more, so that
/// upstream may say "3072Mi".
std::string quantity_text(const Quantity& amount);

}  // namespace winnow
