// The lines of the log while a test runs.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <string>

#include "tests/cluster/client/transport/temp_folder.h"

namespace winnow::test {

/// Takes what the process writes to standard error, as long as it lives.
class CapturedLog {
 public:
  CapturedLog() : before_(::dup(STDERR_FILENO)) {
    const int file = ::open(folder_.write("log", "").c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
    ::dup2(file, STDERR_FILENO);
    ::close(file);
  }
  ~CapturedLog() {
    ::dup2(before_, STDERR_FILENO);
    ::close(before_);
  }
  CapturedLog(const CapturedLog&) = delete;
  CapturedLog& operator=(const CapturedLog&) = delete;

  std::string text() const {
    std::ifstream file(folder_.path("log"), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  const live::test::TempFolder folder_;
  const int before_;
};

}  // namespace winnow::test
