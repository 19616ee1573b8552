// Random clusters and questions, answered by what is kept and in full: winnow_reuse_seeds FROM TO
// [STEPS=300]. Prints the number of questions. Exits 1 at the first difference, which names its seed; and
// where hardly an answer is reused, or some way is never used by eight seeds or more.
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
  const auto number = [](std::uint64_t count) { return static_cast<unsigned long long>(count); };
  std::printf("%llu questions, %llu of them reused, %llu nodes redone, no difference\n", number(questions),
              number(counts.answers), number(counts.redone));
  std::printf(
      "groups scored: %llu times a rule's, %llu times by value; %llu lists went on from the last one\n",
      number(counts.grouped), number(counts.grouped_by_value), number(counts.lists_gone_on));
  std::printf("%llu answers of filter changed the last one\n", number(counts.answers_changed));
  const bool each_way = last < first + 7 || (counts.answers_changed != 0 && counts.grouped != 0 &&
                                             counts.grouped_by_value != 0 && counts.lists_gone_on != 0);
  if (2 * counts.answers > questions && each_way) return 0;
  std::puts("expected more than half of them reused, and each way used: else the trial shows nothing");
  return 1;
}
