#include "cluster/servers/denials.h"

#include <utility>

#include "cluster/servers/api_status.h"

namespace winnow::live {

void Denials::refused(const ApiResponse& answer) {
  const std::string message = failure_of(answer).message;
  const bool for_all = answer.status == 401 || (answer.status == 403 && message.contains(right_));
  note(for_all ? denial(answer.status, write_, message) : "");
}

void Denials::note(std::string why) {
  const MutexLock lock(mutex_);
  why_ = std::move(why);
  noted_at_ = clock_.now();
}

std::string Denials::why() const {
  const MutexLock lock(mutex_);
  return clock_.now() - noted_at_ < kReportedFor ? why_ : "";
}

}  // namespace winnow::live
