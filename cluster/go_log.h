// The natural logarithm with Go's rounding.
#pragma once

namespace winnow {

/// Go's math.Log, for numbers of at least 1. The C library's result differs in the last bit for some numbers
/// (3, 14), and a score could differ with it. Upstream: Go 1.26 src/math/log.go, whose method is FreeBSD's
/// e_log.c.
double go_log(double number);

}  // namespace winnow
