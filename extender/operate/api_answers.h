// Internal to extender/operate: what API servers answer.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace winnow {

using WallTime = std::chrono::system_clock::time_point;

/// Who the API server takes the caller for, and what its clock says, in whole seconds.
struct WhoAmI {
  std::string user;
  std::optional<WallTime> now;
};
std::optional<WhoAmI> read_who_am_i(const std::string& body);

/// Whether a review of a right says yes; nothing if the text is no review.
std::optional<bool> read_allowed(const std::string& body);

/// Which release the API server is of: 37 of v1.37.2; 0 if the text does not say.
int read_minor_version(const std::string& body);
/// The same of a version alone: "v1.37.2-eks-1".
int minor_of_version(std::string_view version);

struct LeaseSeen {
  std::string ns, name, holder;
  std::optional<WallTime> renewed;
  std::chrono::seconds duration{0};
};
/// The items of a LeaseList.
std::vector<LeaseSeen> read_leases(const std::string& body);

/// A pod that waits for a scheduling gate.
struct GatedPod {
  std::string name;  ///< "namespace/name"
  std::optional<WallTime> created;
};
/// Those of one page of a PodList. @param gate  the gate that counts.
std::vector<GatedPod> read_gated_pods(const std::string& body, std::string_view gate);

/// An object of a list, and one field of it that is a string; "" where it has none.
struct NamedValue {
  std::string ns, name, value;
};
/// The items of a list. @param field  on the object's first level; "": none is read.
std::vector<NamedValue> read_named_values(const std::string& body, const char* field);

/// The group and version that an APIGroup prefers: "resource.k8s.io/v1"; "" if the text does not say.
std::string read_preferred_version(const std::string& body);

/// metadata.continue of a list: where the next page begins; "": this is the last one.
std::string read_continue(const std::string& body);

/// What a Status says, or else the beginning of the text, in one line. Never empty.
std::string said_in_status(const std::string& body);

/// "2026-02-03T04:05:06Z", with or without a fraction of a second, of the years 1970 to 2199.
std::optional<WallTime> read_time(const std::string& text);

}  // namespace winnow
