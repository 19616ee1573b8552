// What a test's code writes to the standard error of the process, such as the log.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <string>

namespace winnow::test {

/// What the process writes to its standard error while it lives.
class StandardError {
 public:
  StandardError() : file_(std::tmpfile()), before_(::dup(2)) { ::dup2(::fileno(file_), 2); }
  ~StandardError() {
    ::dup2(before_, 2);
    ::close(before_);
    std::fclose(file_);
  }
  StandardError(const StandardError&) = delete;
  StandardError& operator=(const StandardError&) = delete;

  std::string text() const {
    std::string text(static_cast<std::size_t>(::lseek(::fileno(file_), 0, SEEK_END)), ' ');
    const auto got = ::pread(::fileno(file_), text.data(), text.size(), 0);
    return got == static_cast<ssize_t>(text.size()) ? text : "not read";
  }

 private:
  std::FILE* const file_;
  const int before_;
};

}  // namespace winnow::test
