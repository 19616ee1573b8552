#include "cluster/expand/made_names.h"

#include <format>

#include "cluster/api/names.h"

namespace winnow {
namespace {

/// Upstream: rand.go: without vowels and 0, 1, 3, so that no word comes out.
constexpr std::string_view kCharacters = "bcdfghjklmnpqrstvwxz2456789";
static_assert(kCharacters.size() == 27);

constexpr std::size_t kLongestPrefix = 58;
constexpr std::size_t kLongestName = 253;

std::uint64_t fnv64(std::string_view text, std::uint64_t seed) {
  for (const char c : text) seed = (seed ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return seed;
}

}  // namespace

std::uint32_t fnv32(std::string_view text, std::uint32_t seed) {
  for (const char c : text) seed = (seed ^ static_cast<unsigned char>(c)) * 16777619u;
  return seed;
}

std::string cut_prefix(std::string_view prefix) { return std::string(prefix.substr(0, kLongestPrefix)); }

std::string generated_name(std::string_view prefix, std::uint32_t number) {
  std::string name = cut_prefix(prefix);
  // A step that shares no divisor with the number of suffixes reaches each of them once.
  constexpr std::uint64_t kStep = 8'867'929;
  static_assert(kStep % 3 != 0);
  std::uint64_t suffix = (fnv32(name) + number * kStep) % kSuffixes;
  for (int place = 0; place < 5; ++place, suffix /= kCharacters.size())
    name += kCharacters[suffix % kCharacters.size()];
  return name;
}

std::string pods_prefix(std::string_view controller) {
  // A prefix is checked as if a letter followed its dash.
  const std::string dashed = std::string(controller) + "-";
  return object_name_errors(dashed + "a").empty() && dashed.size() <= kLongestName ? dashed
                                                                                   : std::string(controller);
}

std::string indexed_prefix(std::string_view job, std::uint32_t index) {
  const std::string end = std::format("-{}-", index);
  if (job.size() + end.size() > kLongestPrefix) job = job.substr(0, kLongestPrefix - end.size());
  return std::string(job) + end;
}

std::string resource_claim_prefix(std::string_view pod, std::string_view claim) {
  constexpr std::size_t kMost = 57;
  const std::size_t size = pod.size() + claim.size() + 2;
  if (size <= kMost) return std::format("{}-{}-", pod, claim);
  return std::format("{}-{}", pod.substr(0, pod.size() * kMost / size),
                     claim.substr(0, claim.size() * kMost / size));
}

std::string encoded_hash(std::uint32_t hash) {
  std::string text = std::to_string(hash);
  for (char& c : text) c = kCharacters[static_cast<unsigned char>(c) % kCharacters.size()];
  return text;
}

std::string replica_set_name(std::string_view deployment, std::string_view hash) {
  return std::format("{}-{}", deployment.substr(0, kLongestName - 1 - hash.size()), hash);
}

std::string made_uid(std::string_view object) {
  const std::uint64_t a = fnv64(object, 14695981039346656037u);
  const std::uint64_t b = fnv64(object, a);
  return std::format("{:08x}-{:04x}-4{:03x}-8{:03x}-{:012x}", a >> 32, a >> 16 & 0xffff, a & 0xfff, b >> 52,
                     b & 0xffffffffffff);
}

}  // namespace winnow
