// Objects without the names of their cluster.
//
// What is a name, and what a word of Kubernetes, depends on where it stands. The same text gets the same
// replacement wherever it stands, so that selectors, affinity terms, taints and host names still match. The
// replacements sort as the texts did, because a choice among equals goes by names. Numbers stay, because
// selectors compare them. Text that no rule reads is left out.
//
// anonymize_allowlist.h has what stays. rename_object.cc walks objects and calls, renaming.cc configurations,
// rename_device.cc what selectors of devices read.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace winnow {

/// The replacements. First all texts are noted, then they are replaced: rewriting does either. A text that
/// was not noted is replaced too, by a name that sorts behind all others. Used by one thread.
class Renaming {
 public:
  /// The text's replacement; before number_all() the text itself, which is noted.
  std::string name(std::string_view text);
  /// The same for the key of a label, a taint or a resource. Those of Kubernetes stay.
  std::string key(std::string_view text);
  std::string image(std::string_view text);
  /// The same for a UID. One that is a random number says nothing, and stays: a draw among equals is by it.
  std::string uid(std::string_view text);
  /// The same for a word of the API, a kind, an API version, and the name of a rule or a plugin.
  std::string word(std::string_view text);
  std::string kind(std::string_view text);
  std::string api_version(std::string_view text);
  std::string rule(std::string_view text);
  // The same for what selectors of devices read. What is equal stays equal, and a selector finds its devices.
  /// The name of an attribute or a capacity: "model", "example.com/model".
  std::string device_key(std::string_view text);
  /// The value of an attribute. A version keeps its numbers, and an amount stays.
  std::string device_value(std::string_view text);
  /// A CEL expression. One that is no expression is replaced as a whole.
  std::string expression(std::string_view text);

  /// Numbers the noted texts, in their order.
  void number_all();
  std::size_t size() const { return numbers_.size(); }

  /// An API object, or the body of a call, as JSON. @return "" for a text that is no JSON object.
  std::string object(std::string_view json);
  /// What is kept of a configuration (kept_config()), as JSON. "" stays.
  std::string config(std::string_view text);
  /// The query of a call, with the parameters that it has and that are no search.
  std::string query(std::string_view text);

 private:
  std::string replacement(std::string_view text);
  std::string domain(std::string_view text);
  std::string device_word(std::string_view text);

  std::map<std::string, std::size_t, std::less<>> numbers_;
  std::map<std::string, std::size_t, std::less<>> late_;  ///< Not noted before number_all().
  bool numbered_ = false;
};

}  // namespace winnow
