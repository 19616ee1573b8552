// The picture, kept equal to a live cluster.
//
// cluster/live joins cluster/watch and cluster/state. This header has a reflector for each kind that is
// needed, resources.h says where the API has a kind, and picture_sink.h is the way of its objects into the
// picture.
#pragma once

#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cluster/api/needs.h"
#include "cluster/live/picture_sink.h"
#include "cluster/watch/reflector.h"

namespace winnow::live {

/// A reflector, with a thread of its own, for each kind of object that is needed.
class LiveCluster {
 public:
  /// What all reflectors share; all of it outlives the cluster.
  struct Shared {
    ApiServers& servers;
    ApiTransport& transport;
    Clock& clock;
    ReflectorObserver& observer;
    OnUndecodable on_undecodable;
  };

  /// @param picture  outlives this; nobody else changes it, but for AssumedPods.
  LiveCluster(Picture& picture, Needs needs, const Shared& shared);
  /// Stops, and waits for the threads.
  ~LiveCluster();
  LiveCluster(const LiveCluster&) = delete;
  LiveCluster& operator=(const LiveCluster&) = delete;

  void start();

  struct Silence {
    std::string resource;
    Clock::Duration lasting{};
  };
  /// The resource with the longest silence, by ReflectorStatus::silence(). One that was never listed whole
  /// has been silent for ever. Any thread.
  Silence longest_silence() const;
  /// The resources that no whole list has come of yet. Any thread.
  std::vector<std::string> not_synced() const;
  /// What every API server denies us, in one line; "": nothing. Any thread.
  std::string denied() const;
  /// Any thread.
  std::vector<std::pair<Resource, ReflectorStatus>> statuses() const;

  Needs needs() const { return needs_; }

 private:
  struct Part {
    std::unique_ptr<ObjectSink> sink;
    std::unique_ptr<Reflector> reflector;
  };

  const Needs needs_;
  const Clock& clock_;
  std::vector<Part> parts_;
  std::vector<std::jthread> threads_;  ///< Last: they end first.
};

}  // namespace winnow::live
