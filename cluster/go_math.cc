#include "cluster/go_math.h"

#include <cmath>
#include <numbers>

namespace winnow {

// number = 2^k * (1 + f) with sqrt(2)/2 <= 1 + f < sqrt(2); then with s = f / (2 + f)
// log(1 + f) = f - (f^2/2 - s * (f^2/2 + R(s))), R a polynomial in s^2. The order of operations is Go's,
// because each of them rounds.
double go_log(double number) {
  constexpr double kLn2High = 6.93147180369123816490e-01;
  constexpr double kLn2Low = 1.90821492927058770002e-10;
  constexpr double kOdd[] = {6.666666666666735130e-01, 2.857142874366239149e-01, 1.818357216161805012e-01,
                             1.479819860511658591e-01};
  constexpr double kEven[] = {3.999999999940941908e-01, 2.222219843214978396e-01, 1.531383769920937332e-01};

  int exponent = 0;
  double fraction = std::frexp(number, &exponent);
  if (fraction < std::numbers::sqrt2 / 2) {
    fraction *= 2;
    --exponent;
  }
  const double f = fraction - 1;
  const double k = exponent;

  const double s = f / (2 + f);
  const double s2 = s * s;
  const double s4 = s2 * s2;
  const double odd = s2 * (kOdd[0] + s4 * (kOdd[1] + s4 * (kOdd[2] + s4 * kOdd[3])));
  const double even = s4 * (kEven[0] + s4 * (kEven[1] + s4 * kEven[2]));
  const double r = odd + even;
  const double half_square = 0.5 * f * f;
  return k * kLn2High - ((half_square - (s * (half_square + r) + k * kLn2Low)) - f);
}

}  // namespace winnow
