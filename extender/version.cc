#include "extender/version.h"

#ifndef WINNOW_REVISION
#define WINNOW_REVISION "unknown"
#endif

namespace winnow {

const BuildInfo& build_info() {
  static const BuildInfo info{WINNOW_VERSION, WINNOW_REVISION, "g++ " __VERSION__};
  return info;
}

std::string version_json() {
  const BuildInfo& info = build_info();
  return "{\"version\":\"" + info.version + "\",\"revision\":\"" + info.revision + "\",\"compiler\":\"" +
         info.compiler + "\"}\n";
}

}  // namespace winnow
