#include "extender/service/http/request_id.h"

#include <algorithm>
#include <cstdint>
#include <random>

namespace winnow::http {

bool is_request_id(std::string_view id) {
  return !id.empty() && id.size() <= kMostIdBytes &&
         std::ranges::all_of(id, [](char c) { return c >= ' ' && c < '\x7f'; });
}

// It is no secret, so a fast generator does. Each thread has its own, of another seed.
std::string new_request_id() {
  thread_local std::mt19937_64 random = [] {
    std::random_device device;
    std::seed_seq seed{device(), device(), device(), device()};
    return std::mt19937_64(seed);
  }();
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::uint64_t number = random();
  std::string id(16, '0');
  for (char& digit : id) {
    digit = kDigits[number & 15U];
    number >>= 4U;
  }
  return id;
}

}  // namespace winnow::http
