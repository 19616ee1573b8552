// NoDiskConflict: no pod of the node has an inline disk mounted that conflicts with a disk of this pod.
// Upstream: predicates.go NoDiskConflict v1.16.15.
#include "predicates/disk_conflicts.h"

namespace winnow::predicates {

BindPredicate no_disk_conflict;
MakeTrial try_no_disk_conflict;

namespace {

class NoDiskConflict final : public OneReason<NoDiskConflict> {
 public:
  explicit NoDiskConflict(DiskConflicts conflicts)
      : OneReason(Fit::kUnschedulable, kDiskConflict), conflicts_(std::move(conflicts)) {}

  bool fits(NodeId node) const { return !conflicts_.on(node); }

 private:
  const DiskConflicts conflicts_;
};

class NoDiskConflictTrial final : public Trial {
 public:
  explicit NoDiskConflictTrial(const Request& request) : disks_(request.view, request.pod.spec) {}

  void begin(NodeId node) override { disks_.begin(node); }
  void change(PodId pod, std::int32_t by) override { disks_.change(pod, by); }
  bool fits() const override { return disks_.fits(); }
  std::unique_ptr<Trial> copy() const override { return std::make_unique<NoDiskConflictTrial>(*this); }

 private:
  DiskConflictsTrial disks_;
};

}  // namespace

std::unique_ptr<const Predicate> no_disk_conflict(const Request& request, const Arguments&) {
  DiskConflicts conflicts(request.view, request.pod.spec);
  if (!conflicts.are_possible()) return nullptr;
  return std::make_unique<NoDiskConflict>(std::move(conflicts));
}

std::unique_ptr<Trial> try_no_disk_conflict(const Request& request, const Arguments&) {
  return std::make_unique<NoDiskConflictTrial>(request);
}

}  // namespace winnow::predicates
