// NoDiskConflict: no pod of the node has an inline disk mounted that conflicts with a disk of this pod.
// Upstream: predicates.go NoDiskConflict v1.16.15.
#include "predicates/disk_conflicts.h"

namespace winnow::predicates {

BindPredicate no_disk_conflict;

namespace {

class NoDiskConflict final : public OneReason<NoDiskConflict> {
 public:
  explicit NoDiskConflict(DiskConflicts conflicts)
      : OneReason(Fit::kUnschedulable, kDiskConflict), conflicts_(std::move(conflicts)) {}

  bool fits(NodeId node) const { return !conflicts_.on(node); }

 private:
  const DiskConflicts conflicts_;
};

}  // namespace

std::unique_ptr<const Predicate> no_disk_conflict(const Request& request, const Arguments&) {
  DiskConflicts conflicts(request.view, request.pod.spec);
  if (!conflicts.are_possible()) return nullptr;
  return std::make_unique<NoDiskConflict>(std::move(conflicts));
}

}  // namespace winnow::predicates
