// The causes of a comparison, each once, and the texts that pods share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "extender/compare/comparison.h"

namespace winnow {

/// Numbers causes by their kind and rules. Reasons and amounts do not tell two causes apart.
class CauseBook {
 public:
  /// @return its number, new or not. Its pods are counted by finish().
  std::uint32_t number_of(const ChoiceTurn& turn);
  /// Counts the causes of the result's pods that differ, drops those that no pod has, and puts the most
  /// frequent first.
  void finish(Comparison& result);

 private:
  std::vector<Cause> causes_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
};

/// Numbers texts.
class TextBook {
 public:
  std::uint32_t number_of(const std::string& text);
  std::vector<std::string> finish() { return std::move(texts_); }

 private:
  std::vector<std::string> texts_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
};

}  // namespace winnow
