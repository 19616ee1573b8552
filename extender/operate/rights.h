// Internal to extender/operate: what Winnow must be allowed to do.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace winnow {

struct DoctorSetup;
struct LoadedRules;

/// One right, as an access review names it.
struct Right {
  std::string verb, group, resource, subresource;
  std::string ns;    ///< "": all namespaces, or none.
  std::string name;  ///< "": all objects.
  bool operator==(const Right&) const = default;
};

/// Rights that one role of the manifests grants, and the flag or the rules that need them.
struct NeededRights {
  std::string_view role;      ///< "winnow"
  std::string role_ns;        ///< The namespace of a Role; "": it is a ClusterRole.
  std::string_view manifest;  ///< Where the role stands: "rbac.yaml"; "": each cluster has it.
  std::string_view needed_for;
  std::vector<Right> rights;
  bool optional = false;  ///< Winnow runs without them.
};

/// The namespace of the nominators' Lease: the one that the flags name, or else that of the service account,
/// or else kube-system.
std::string lease_namespace(const DoctorSetup& setup, std::string_view user);

/// Exactly what a Winnow with these rules and flags asks of API servers. @param user  who it is there.
std::vector<NeededRights> rights_needed(const LoadedRules& rules, const DoctorSetup& setup,
                                        std::string_view user);

/// The command that gives a role to a user, or to a service account. A shell takes the user as one word.
std::string command_to_grant(const NeededRights& needed, std::string_view user);

/// The command that mends what is denied. Whoever has a part of a role's rights is bound to a role that lacks
/// the others, or has them from elsewhere. The command adds those to the role, and a comment has the binding.
/// So it is with optional rights, which the role of an older release lacks.
/// @param denied  some of needed.rights.
std::string command_to_mend(const NeededRights& needed, const std::vector<Right>& denied,
                            std::string_view user);

/// `patch pods/status`, `get leases.coordination.k8s.io winnow-nominator in kube-system`
std::string to_text(const Right& right);

/// The body of a review. @param user  "": a SelfSubjectAccessReview.
std::string review_body(const Right& right, std::string_view user);

}  // namespace winnow
