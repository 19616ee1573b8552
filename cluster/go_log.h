// The natural logarithm as Go has it.
#pragma once

namespace winnow {

/// math.Log of a number of 1 and more. The C library's differs from it in the last bit here and there (ln 3,
/// ln 14), and with that a score may. Upstream: Go 1.26 src/math/log.go, whose method is FreeBSD's e_log.c.
double go_log(double number);

}  // namespace winnow
