// Internal: a builder of RapidJSON documents from yaml-cpp's events, and which keys of a map may repeat.
#pragma once

#include <rapidjson/document.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "cluster/function_ref.h"
#include "cluster/memory_budget.h"
#include "cluster/text/keyed_hash.h"

namespace winnow {

/// Whether "<<" may bring a key that the map already has. kKubectl: yes, and the merged value is ignored.
/// kStrict: it is an error, as in the strict readers of configurations. kTwice: as kKubectl, and a key that
/// is there twice makes two members; else that is an error. What the others refuse is noted (Repeated).
enum class Merges : std::uint8_t { kKubectl, kStrict, kTwice };

// The builder of RapidJSON documents from yaml-cpp's events.
// Internal: only json_document.cc and yaml_builder.cc use it.
// Upstream: sigs.k8s.io/yaml v1.6.0 (YAMLToJSON) and its resolver of plain scalars.

/// The limits that are left for one text.
struct YamlBudget {
  explicit YamlBudget(std::size_t text_size) : repeated(text_size) {}

  std::size_t values = 50'000'000;  ///< Of any kind, written or repeated.
  std::size_t repeated;             ///< Values and bytes of strings that anchors and aliases copy.
  MemoryCharge taken = {};          ///< By the document that is built.
  /// Called now and then; may throw. Null: there is no hurry.
  FunctionRef<void()> look = nullptr;
};

/// The first key of a document that each stricter way of reading refuses. Only Merges::kTwice finds any.
struct Repeated {
  std::optional<YAML::ParserException> for_kubectl;  ///< It is written twice.
  std::optional<YAML::ParserException> for_strict;   ///< It is written twice, or there and merged in.
};

/// A builder of one document. Throws YAML::ParserException for invalid input, as the parser does.
class YamlBuilder final : public YAML::EventHandler {
 public:
  /// @param repeated  what was found, even if the document cannot be read.
  YamlBuilder(rapidjson::Document& document, YamlBudget& budget, Merges merges, Repeated& repeated)
      : document_(document),
        memory_(document.GetAllocator()),
        budget_(budget),
        merges_(merges),
        repeated_(repeated) {
    document_.SetNull();
  }

  void OnDocumentStart(const YAML::Mark& mark) override { start_ = mark; }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override;
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override;
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override;
  void OnMapEnd() override;

  /// The position where the document started.
  const YAML::Mark& start() const { return start_; }

 private:
  /// A list or map that has not ended yet.
  struct Open {
    rapidjson::Value value;
    YAML::Mark mark;
    YAML::anchor_t anchor = 0;
    rapidjson::Value key;
    bool has_key = false;
    bool merging = false;                                 ///< The key is "<<".
    std::unordered_set<std::string_view, TextHash> keys;  ///< The texts are in the document's memory.
    std::vector<rapidjson::Value> merged;
  };

  void open(const YAML::Mark& mark, YAML::anchor_t anchor, rapidjson::Type type);
  void close();
  void put(const YAML::Mark& mark, YAML::anchor_t anchor, rapidjson::Value value);
  void put_key(const YAML::Mark& mark, Open& map, rapidjson::Value value);
  void put_merged(const YAML::Mark& mark, Open& map, rapidjson::Value value);
  void merge(Open& map, rapidjson::Value& from);
  rapidjson::Value resolve(const YAML::Mark& mark, std::string_view text);
  rapidjson::Value text_value(std::string_view text);
  /// A key that the map has already. Throws, or notes it.
  void repeat(const YAML::Mark& mark, const std::string& message, bool is_written);
  void spend(const YAML::Mark& mark);
  void spend_repeated(const YAML::Mark& mark, const rapidjson::Value& value, std::size_t depth);

  YAML::Mark start_;
  rapidjson::Document& document_;
  rapidjson::Document::AllocatorType& memory_;
  YamlBudget& budget_;
  Merges merges_;
  Repeated& repeated_;
  std::vector<Open> open_;
  std::unordered_map<YAML::anchor_t, rapidjson::Value> anchors_;
};

}  // namespace winnow
