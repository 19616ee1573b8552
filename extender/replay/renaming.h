// Objects without the names of their cluster.
//
// What is a name, and what a word of Kubernetes, depends on where it stands. The same text gets the same
// replacement wherever it stands, so that selectors, affinity terms, taints and host names still match. The
// replacements sort as the texts did, because a choice among equals goes by names. Numbers stay, because
// selectors compare them. Text that no rule reads is left out.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace winnow {

/// The replacements. First all texts are noted, then they are replaced: rewriting does either. Used by one
/// thread.
class Renaming {
 public:
  /// The text's replacement; before number_all() the text itself, which is noted.
  std::string name(std::string_view text);
  /// The same for the key of a label, a taint or a resource. Those of Kubernetes stay.
  std::string key(std::string_view text);
  std::string image(std::string_view text);
  /// The same for a UID. One that is a random number says nothing, and stays: a draw among equals is by it.
  std::string uid(std::string_view text);
  /// The replacement of a text that has been noted; the text itself otherwise.
  std::string known(std::string_view text) const;

  /// Numbers the noted texts, in their order.
  void number_all();
  std::size_t size() const { return numbers_.size(); }

  /// An API object, or the body of a call, as JSON. @return "" for a text that is no JSON object.
  std::string object(std::string_view json);
  /// A configuration, as JSON; "" stays. Its own words stay, and so does what the cluster does not have.
  std::string config(std::string_view text);

 private:
  std::map<std::string, std::size_t, std::less<>> numbers_;
  bool numbered_ = false;
};

}  // namespace winnow
