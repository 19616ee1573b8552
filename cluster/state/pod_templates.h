// The templates of pods: what the pods of one workload share, found by one comparison of texts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/state/id_index.h"
#include "cluster/state/row_values.h"

namespace winnow {

struct Pod;

/// What pods of one template share, as ids of the state.
struct PodParts {
  GroupId group = kNone;
  std::uint32_t spec = kNone;
  TermListId terms = kNone;
  std::uint32_t owner = kNone;

  bool operator==(const PodParts&) const = default;
};

/// What the pods of a template share, as a text: namespace, labels, controller, whether it is being deleted,
/// and SharedSpec. Two pods have the same text only if all of that is equal.
/// @param buffer  memory for the text, which is valid as long as the buffer is left alone.
std::string_view write_template(const Pod& pod, std::string& buffer);

/// A template for each group that has one. A pod whose text is known needs no look-up of its labels, its spec
/// and its owner. A text takes about a kilobyte, so only a group of several pods gets a template.
///
/// A template holds no references: its pods do, and it ends with the last of them. So nothing is kept of pods
/// that are gone. One writer at a time.
class PodTemplates {
 public:
  /// A group with fewer pods gets no template.
  static constexpr std::uint32_t kFewest = 4;

  /// Counts a pod with this text, and its parts. leave() ends that.
  /// @param hash  TextHash of the text.
  /// @return the parts; null: the text is unknown, and no pod is counted.
  const PodParts* enter(std::size_t hash, std::string_view text);
  /// Whether the group should get another template: it has none, or its own has not been found for a while.
  /// To be asked once for each pod that was not found.
  bool wants(GroupId group);
  /// Gives the group this template in place of its own, and counts the pod that brings it. It must be
  /// unknown.
  void put(std::size_t hash, std::string_view text, const PodParts& parts);
  /// To be called for each pod that leaves, counted or not, while its parts are still held.
  void leave(const PodParts& parts);

 private:
  /// The pods of a DaemonSet have one group, and each a spec of its own.
  static constexpr std::uint32_t kManyMisses = 16;

  struct Template {
    std::string text;
    std::size_t hash = 0;
    PodParts parts;
    std::uint32_t pods = 1;    ///< The pods with these parts, or fewer: some came before the template.
    std::uint32_t misses = 0;  ///< Pods of the group with other texts, since the last one with this.
  };
  Template* of(GroupId group) { return group < templates_.size() ? templates_[group].get() : nullptr; }
  void drop(GroupId group);

  std::vector<std::unique_ptr<Template>> templates_;  ///< By GroupId; perhaps null.
  IdIndex index_;
};

}  // namespace winnow
