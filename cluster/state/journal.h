// A journal of what changes in a picture, for a recording.
#pragma once

#include <cstdint>
#include <string_view>

namespace winnow {

enum class ResourceKind : std::uint8_t;  // cluster/api/kinds.h

/// Is told each change of one picture, in the order of the changes, with the picture locked. What came from
/// time or from evidence is told as the change that it made, so whoever repeats the changes has the same
/// picture. A function without noexcept is called without a lock.
class Journal {
 public:
  /// An assumption that begins, or that is another than before. See AssumedPods::Entry.
  struct Assumption {
    std::string_view ns, name, uid, node;
    bool nomination = false;
    bool bound = false;
  };

  virtual ~Journal() = default;

  /// Waits for a moment if the journal has fallen behind. To be called before a write.
  virtual void make_room() = 0;
  /// Whether set() needs the text: without it a copy can be spared. May be called with the picture locked.
  virtual bool wants_text() const noexcept = 0;

  /// The object is as the text says, which is its JSON. A pod that is assumed stays on its node.
  virtual void set(ResourceKind kind, std::string_view ns, std::string_view name,
                   std::string_view text) noexcept = 0;
  /// The object is gone, and for a pod its assumption too.
  virtual void remove(ResourceKind kind, std::string_view ns, std::string_view name) noexcept = 0;
  /// The pod of that name counts on the node from now on.
  virtual void assumed(const Assumption& assumption) noexcept = 0;
  /// The pod is where its own text says again.
  virtual void released(std::string_view ns, std::string_view name) noexcept = 0;
  /// Everything is gone. What is assumed is told again.
  virtual void lost() noexcept = 0;
};

}  // namespace winnow
