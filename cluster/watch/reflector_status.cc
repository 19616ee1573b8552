#include "cluster/watch/reflector_status.h"

#include <utility>

namespace winnow::live {

void ReflectorProgress::ask(std::string_view server) {
  const MutexLock lock(mutex_);
  status_.server = server;
}

void ReflectorProgress::listed(std::string_view resource_version) {
  const MutexLock lock(mutex_);
  status_.synced = true;
  status_.unread = false;
  status_.missing_right.clear();
  status_.resource_version = resource_version;
  status_.last_word = clock_.now();
}

void ReflectorProgress::lost() {
  const MutexLock lock(mutex_);
  status_.synced = status_.unread = false;
}

void ReflectorProgress::opened() {
  const MutexLock lock(mutex_);
  status_.connected = true;
  status_.denied.clear();
  status_.last_word = clock_.now();
}

void ReflectorProgress::advance(std::string_view resource_version) {
  const MutexLock lock(mutex_);
  status_.resource_version = resource_version;
  status_.last_word = clock_.now();
}

void ReflectorProgress::heard() {
  const MutexLock lock(mutex_);
  status_.last_word = clock_.now();
}

void ReflectorProgress::denied(std::string line) {
  const MutexLock lock(mutex_);
  status_.denied = std::move(line);
}

void ReflectorProgress::left_unread(std::string right) {
  const MutexLock lock(mutex_);
  status_.unread = true;
  status_.missing_right = std::move(right);
}

void ReflectorProgress::closed(bool word) {
  const MutexLock lock(mutex_);
  if (word && status_.connected) status_.last_word = clock_.now();
  status_.connected = false;
}

std::string ReflectorProgress::resource_version() const {
  const MutexLock lock(mutex_);
  return status_.resource_version;
}

ReflectorStatus ReflectorProgress::status() const {
  const MutexLock lock(mutex_);
  return status_;
}

}  // namespace winnow::live
