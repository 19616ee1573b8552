// The flags of `winnow serve --record`.
#pragma once

#include <cstdint>
#include <string>

namespace CLI {
class App;
}

namespace winnow {

struct RecordFlags {
  std::string dir;                   ///< "": nothing is recorded.
  std::uint64_t bytes = 1ULL << 30;  ///< Of all files together.

  static constexpr std::uint64_t kLeastBytes = 1ULL << 20;
};

void add_record(CLI::App& serve, RecordFlags& flags);

}  // namespace winnow
