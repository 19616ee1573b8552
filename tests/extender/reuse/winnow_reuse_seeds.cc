// Random clusters and questions, answered by what is kept and in full: winnow_reuse_seeds FROM TO
// [STEPS=300]. Prints the number of questions; exits 1 at the first difference, which names its seed, and
// where hardly an answer is reused.
#include <cstdio>
#include <cstdlib>

#include "tests/extender/reuse/reuse_trial.h"

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fputs("usage: winnow_reuse_seeds FROM TO [STEPS=300]\n", stderr);
    return 2;
  }
  const auto first = std::strtoull(argv[1], nullptr, 10), last = std::strtoull(argv[2], nullptr, 10);
  const std::size_t steps = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 300;
  std::uint64_t questions = 0;
  winnow::ReuseCounts counts;
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    const winnow::test::ReuseTrial trial = winnow::test::try_reuse(seed, steps);
    if (!trial.difference.empty()) {
      std::printf("seed %llu: %s\n", static_cast<unsigned long long>(seed), trial.difference.c_str());
      return 1;
    }
    questions += trial.questions;
    counts += trial.counts;
  }
  std::printf("%llu questions, %llu of them reused, %llu nodes redone, no difference\n",
              static_cast<unsigned long long>(questions), static_cast<unsigned long long>(counts.answers),
              static_cast<unsigned long long>(counts.redone));
  if (2 * counts.answers > questions) return 0;
  std::puts("expected more than half of them reused: a trial that hardly reuses shows nothing");
  return 1;
}
