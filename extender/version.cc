#include "extender/version.h"

#ifndef WINNOW_REVISION
#define WINNOW_REVISION "unknown"
#endif

#ifdef __clang__
#define WINNOW_COMPILER "clang " __clang_version__
#else
#define WINNOW_COMPILER "g++ " __VERSION__
#endif

namespace winnow {

const BuildInfo& build_info() {
  static const BuildInfo info{WINNOW_VERSION, WINNOW_REVISION, WINNOW_COMPILER};
  return info;
}

std::string version_json() {
  const BuildInfo& info = build_info();
  return "{\"version\":\"" + info.version + "\",\"revision\":\"" + info.revision + "\",\"compiler\":\"" +
         info.compiler + "\"}\n";
}

}  // namespace winnow
