// The receivers of what the watch tells of pods.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace winnow {

struct Pod;

}  // namespace winnow

namespace winnow::live {

/// An informer's event handler for pods. The sink of a cache calls it when the cache has the change, with
/// the cache's lock free. It is called by the thread of that cache's reflector, and must not block.
///
/// While a configuration is exchanged two caches follow the cluster, and both call. So events of one pod
/// may come twice, and an older one after a later one. Resource versions tell.
class PodHandler {
 public:
  virtual ~PodHandler() = default;

  /// The pod is new, or has changed, or a list has it in another version.
  virtual void on_pod(const Pod& pod) = 0;
  /// The pod is gone. @param resource_version  of its deletion, or of the list that lacks it; 0: unknown.
  virtual void on_gone(const std::string& ns, const std::string& name, std::uint64_t resource_version) = 0;
  /// The API servers have gone back in time (etcd was restored): versions that were told before do not
  /// compare with those that follow.
  virtual void on_rewind() = 0;
  /// All that the cache has of pods up to that version has been told. It comes after each batch of events,
  /// and after each list, with the version that AssumedPods::watched_version() has then.
  virtual void on_told(std::uint64_t /*resource_version*/) {}
};

/// Tells several handlers, in the order in which they were added. All are added before the first event, and
/// outlive the last.
class PodHandlers : public PodHandler {
 public:
  void add(PodHandler& handler) { handlers_.push_back(&handler); }
  bool empty() const { return handlers_.empty(); }

  void on_pod(const Pod& pod) override {
    for (PodHandler* const handler : handlers_) handler->on_pod(pod);
  }
  void on_gone(const std::string& ns, const std::string& name, std::uint64_t resource_version) override {
    for (PodHandler* const handler : handlers_) handler->on_gone(ns, name, resource_version);
  }
  void on_rewind() override {
    for (PodHandler* const handler : handlers_) handler->on_rewind();
  }
  void on_told(std::uint64_t resource_version) override {
    for (PodHandler* const handler : handlers_) handler->on_told(resource_version);
  }

 private:
  std::vector<PodHandler*> handlers_;
};

}  // namespace winnow::live
