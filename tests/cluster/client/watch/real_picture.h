// A real cache behind a reflector in a simulated world.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "cluster/client/watch/cache_sink.h"
#include "cluster/client/watch/resource.h"
#include "cluster/state/cluster_cache.h"
#include "cluster/state/state.h"
#include "tests/cluster/client/watch/fake_etcd.h"
#include "tests/cluster/client/watch/sink.h"

namespace winnow::live {

/// Passes objects to a cache of their kind, and then to the checks. What the cache has not taken, for
/// want of memory, the checks never see.
class RealCache final : public ObjectSink {
 public:
  /// @param resource  "nodes", "pods" or "services".
  RealCache(const std::string& resource, CheckedSink& checks);
  ~RealCache() override;

  /// See ClusterCache::on_loss().
  void on_loss(std::function<void()> list_again);

  void begin_list() override;
  bool list(std::string_view object) override;
  void end_list(std::string_view resource_version) override;
  bool set(std::string_view object) override;
  bool remove(std::string_view object) override;
  void flush() override;

  /// The first difference to a cache that was filled with these objects alone; "" if there is none.
  std::string compare(const FakeEtcd::Objects& truth) const;
  /// How often the cache was lost.
  std::size_t losses() const { return cache_.epoch(); }

 private:
  /// The object as an API server sends it: the made-up ones have no namespace.
  std::string whole(std::string_view object) const;

  const ResourceKind kind_;
  ClusterCache cache_{State::Options{}};
  std::unique_ptr<ObjectSink> inner_;
  CheckedSink& checks_;
};

}  // namespace winnow::live
