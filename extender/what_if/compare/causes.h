// The causes of a comparison, each once, in words too, and the texts that pods share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "extender/what_if/compare/comparison.h"

namespace winnow {

/// Numbers causes by their kind and rules. Reasons and amounts do not tell two causes apart.
class CauseBook {
 public:
  /// @return its number, new or not. Its pods are counted by finish().
  std::uint32_t number_of(const ChoiceDifference& turn);
  /// Counts the causes of the result's pods that differ, drops those that no pod has, and puts the most
  /// frequent first.
  void finish(Comparison& result);

 private:
  std::vector<MoveCause> causes_;
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

// A cause in words.

/// The kind as programs get it: "scores", "refused".
std::string_view to_string(TurnKind kind);

/// "NodeResourcesFit (weight 1 under A, 5 under B)": a rule whose scores changed. One that both have with one
/// weight differs in its arguments, or in what it is compared with.
std::string change_text(const ScoreChange& change, const Comparison& of);

/// What turns a choice, without a full stop.
std::string turn_text(const ChoiceDifference& turn, const Comparison& of);

}  // namespace winnow
