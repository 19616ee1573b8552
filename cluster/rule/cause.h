// The causes of a refusal, as data: what is missing on a node, by how much, and who holds it.
//
// A rule's reason is kube-scheduler's sentence. Its causes are the facts behind it. A cause has a kind and
// the kind's fields. cause_kinds() has all kinds; docs/explain.md describes them. Causes are found where
// somebody asks for an explanation, and nowhere else: filter does not know them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "cluster/rule/rule.h"

namespace winnow {

class Arguments;
class Selector;
struct Requirement;

/// One fact. Its fields are in the order of its kind's; one that is not known, or says nothing, is left out.
struct Cause {
  using Value = std::variant<std::int64_t, std::string, std::vector<std::string>>;
  using Field = std::pair<std::string, Value>;

  std::string kind;
  std::vector<Field> fields = {};

  Cause& with(std::string name, Value value) {
    fields.emplace_back(std::move(name), std::move(value));
    return *this;
  }
  /// The field's value; null if the cause lacks it.
  const Value* find(std::string_view name) const;
  /// The field as a text, or a number as its digits, or a list with ", " between; "": the cause lacks it.
  std::string text(std::string_view name) const;
  /// The field as a number; 0: the cause lacks it, or it is none.
  std::int64_t number(std::string_view name) const;
  bool has(std::string_view name) const { return find(name) != nullptr; }

  bool operator==(const Cause&) const = default;
  auto operator<=>(const Cause&) const = default;
};

/// A kind of cause, and the fields that it may have, in their order.
struct CauseKind {
  std::string_view name;
  std::vector<std::string_view> fields;
  /// Those of the fields that name pods, as NAMESPACE/NAME. Not everybody may be told them.
  std::vector<std::string_view> pods = {};
};
/// All kinds, in the order of docs/explain.md.
std::span<const CauseKind> cause_kinds();

/// The kinds of facts that made a score, in the order of docs/explain.md. A fact is written as a cause is.
std::span<const CauseKind> fact_kinds();

/// Finds the causes of a rule's refusals, or the facts of its scores, for one request. What the request
/// refers to outlives it.
class CauseFinder {
 public:
  virtual ~CauseFinder() = default;
  /// Adds the causes for which the rule refuses the node. To be called for a node that the rule refuses. Of
  /// a rule that scores: adds the facts that made the node's score. To be called for a node that is scored.
  virtual void find(NodeId node, std::vector<Cause>& causes) const = 0;
};

/// Makes the finder of a rule, for a request as the rule is bound to. Null: nothing is to be found, as the
/// rule does not apply to this pod.
using FindCauses = std::unique_ptr<const CauseFinder>(const Request&, const Arguments&);

/// The finder that calls find(node, causes).
template <class Find>
std::unique_ptr<const CauseFinder> make_cause_finder(Find find) {
  class Finder final : public CauseFinder {
   public:
    explicit Finder(Find call) : call_(std::move(call)) {}
    void find(NodeId node, std::vector<Cause>& causes) const override { call_(node, causes); }

   private:
    Find call_;
  };
  return std::make_unique<const Finder>(std::move(find));
}

/// The finder of a rule that refuses all nodes alike, for one cause.
std::unique_ptr<const CauseFinder> everywhere(Cause cause);

/// An amount of a resource as people write it: cpu in thousandths, all else in whole units.
std::string amount_text(std::string_view resource, std::int64_t amount);
/// A taint, or a toleration of one: "dedicated=gpu:NoSchedule".
std::string taint_text(const std::string& key, const std::string& value, const std::string& effect);
/// "key in (a,b)", "!key", "key>5".
std::string to_text(const Requirement& requirement);
/// Its requirements, with "," between them; "everything", "nothing".
std::string to_text(const Selector& selector);

}  // namespace winnow
