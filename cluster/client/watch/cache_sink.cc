#include "cluster/client/watch/cache_sink.h"

#include <algorithm>
#include <chrono>
#include <type_traits>
#include <utility>
#include <vector>

#include "cluster/api/decode.h"
#include "cluster/client/watch/pod_handler.h"
#include "cluster/client/watch/resource.h"
#include "cluster/state/assumed_pods.h"
#include "cluster/state/cluster_cache.h"
#include "cluster/state/state.h"
#include "cluster/text/keyed_hash.h"

namespace winnow::live {
namespace {

/// An object's new state, or the name of an object that is gone.
template <class T>
struct Change {
  std::optional<T> object;
  std::string ns, name;
  std::uint64_t resource_version = 0;  ///< The version of the event; 0 in a list.
  std::string text = {};               ///< The object's JSON, for the cache's journal; "": there is none.
};

/// The part that is the same for all kinds: decoding, batches, and the difference between the first list and
/// later ones.
template <class T>
class Sink : public ObjectSink {
 public:
  Sink(ResourceKind kind, ClusterCache& cache, OnUndecodable on_undecodable)
      : cache_(cache), kind_(kind), on_undecodable_(std::move(on_undecodable)) {
    cache_.add_source();
  }

  void begin_list() override {
    batch_.clear();
    changes_.clear();
    listed_.clear();
    in_list_ = false;
    const std::uint64_t epoch = cache_.epoch();  // Read once: the cache may be lost meanwhile.
    if (std::exchange(epoch_, epoch) == epoch) return;
    synced_ = false;
    forget();
  }

  bool list(std::string_view json) override {
    auto object = decode<T>(json);
    if (!object) {
      if (!object.error().is_json) return false;
      if (const std::string key = report(object.error(), json); !key.empty()) listed_.insert(key);
      return true;
    }
    listed_.insert(key_of(object->metadata));
    if (is_known(*object)) return true;
    changes_.push_back({std::move(*object), {}, {}, 0, text_for_journal(json)});
    if (!synced_ && changes_.size() >= kEventsPerBatch) take(std::exchange(changes_, {}));
    return true;
  }

  void end_list(std::string_view resource_version) override {
    for (auto& [ns, name] : known_but_not_in(listed_)) changes_.push_back({std::nullopt, ns, name, 0});
    list_version_ = to_number(resource_version);
    in_list_ = true;
    take(std::exchange(changes_, {}));
    in_list_ = false;
    listed_ = {};
  }

  bool set(std::string_view json) override {
    auto object = decode<T>(json);
    if (!object) {
      if (object.error().is_json) report(object.error(), json);
      return object.error().is_json;
    }
    const std::uint64_t version = to_number(object->metadata.resource_version);
    add({std::move(*object), {}, {}, version, text_for_journal(json)});
    return true;
  }

  bool remove(std::string_view json) override {
    // Only the metadata is needed, which all kinds share. A Namespace has nothing else.
    auto object = decode<Namespace>(json);
    if (!object) {
      if (object.error().is_json) on_undecodable_(kind_, object.error().message);
      return object.error().is_json;
    }
    ObjectMeta& meta = object->metadata;
    add({std::nullopt, std::move(meta.namespace_), std::move(meta.name), to_number(meta.resource_version)});
    return true;
  }

  void flush() override {
    if (!batch_.empty()) take(std::exchange(batch_, {}));
  }

 protected:
  using Changes = std::vector<Change<T>>;
  using Keys = TextSet;
  using Names = std::vector<std::pair<std::string, std::string>>;

  /// Whether the cache has the object in the version of the list.
  virtual bool is_known(const T& object) const = 0;
  virtual Names known_but_not_in(const Keys& listed) const = 0;
  /// Writes changes into the cache in one step. Throws SinkLost if the cache was lost since begin_list().
  virtual void write(Changes changes) = 0;
  /// The cache was lost: forgets what was in it.
  virtual void forget() = 0;

  /// To be called first in each write. @return false: the cache is not the one that this sink has filled.
  bool is_mine() {
    if (cache_.epoch() != epoch_) return false;
    if (in_list_ && !std::exchange(synced_, true)) cache_.source_listed();
    return true;
  }

  ClusterCache& cache_;
  std::uint64_t list_version_ = 0;
  bool in_list_ = false;

 private:
  /// Reports an object that cannot be decoded: the cache keeps its previous state. @return its key; "":
  /// unknown.
  std::string report(const DecodeError& error, std::string_view json) const {
    const auto named = decode<Namespace>(json);
    std::string key = named ? key_of(named->metadata) : std::string();
    on_undecodable_(kind_, (named ? key : "(no name)") + ": " + error.message);
    return key;
  }

  std::string text_for_journal(std::string_view json) const {
    const Journal* const journal = cache_.journal();
    return journal && journal->wants_text() ? std::string(json) : std::string();
  }

  void take(Changes changes) {
    if (Journal* const journal = cache_.journal()) journal->make_room();
    write(std::move(changes));
  }

  void add(Change<T> change) {
    batch_.push_back(std::move(change));
    if (batch_.size() >= kEventsPerBatch) flush();
  }

  const ResourceKind kind_;
  const OnUndecodable on_undecodable_;
  std::uint64_t epoch_ = 0;  ///< Of the cache, when the last list began.
  bool synced_ = false;      ///< It has listed in this epoch.
  Keys listed_;              ///< "namespace/name" of the current list's objects.
  Changes changes_;          ///< Of the list.
  Changes batch_;            ///< Of the watch.
};

/// The sink of kinds with hundreds or thousands of objects. Their names and versions are kept here, beside
/// the cache.
template <class T>
class SmallSink : public Sink<T> {
 public:
  using Sink<T>::Sink;

 private:
  bool is_known(const T& object) const override {
    const auto it = known_.find(key_of(object.metadata));
    return it != known_.end() && it->second.resource_version == object.metadata.resource_version;
  }

  Sink<T>::Names known_but_not_in(const Sink<T>::Keys& listed) const override {
    typename Sink<T>::Names gone;
    for (const auto& [key, known] : known_)
      if (!listed.contains(key)) gone.emplace_back(known.ns, known.name);
    std::ranges::sort(gone);  // The order of the hash table is another in each process.
    return gone;
  }

  void forget() override { known_.clear(); }

  void leave_unread() override {
    bool lost = false, changed = false;
    this->cache_.write([&](State& state) {
      if (lost = !this->is_mine(); !lost) changed = note_unread(state, true, this->cache_.journal());
    });
    if (lost) throw SinkLost();
    if (changed) this->cache_.news().tell(/*for_others=*/true);
  }

  /// Rules may answer otherwise, as if objects had changed. @return whether it is news.
  static bool note_unread(State& state, bool unread, Journal* journal) {
    if (state.is_unread(kind_of<T>) == unread) return false;
    if (journal) journal->unread(kind_of<T>, unread);
    state.set_unread(kind_of<T>, unread);
    state.count_change(kind_of<T>);
    return true;
  }

  void write(Sink<T>::Changes changes) override {
    bool lost = false, changed = !changes.empty();
    Journal* const journal = this->cache_.journal();
    this->cache_.write([&](State& state) {
      if (lost = !this->is_mine(); lost) return;
      // A list without a version is what a reflector makes of a kind that it may not read.
      if (this->in_list_) changed |= note_unread(state, this->list_version_ == 0, journal);
      for (Change<T>& change : changes) {
        if (!change.object) {
          known_.erase(key_of(change.ns, change.name));
          if (journal) journal->remove(kind_of<T>, change.ns, change.name);
          ObjectWriter<T>::remove(state, change.ns, change.name);
          continue;
        }
        const ObjectMeta& meta = change.object->metadata;
        if (journal) journal->set(kind_of<T>, meta.namespace_, meta.name, change.text);
        known_.insert_or_assign(key_of(meta), Known{meta.namespace_, meta.name, meta.resource_version});
        ObjectWriter<T>::set(state, std::move(*change.object));
      }
    });
    if (lost) throw SinkLost();
    if (changed) this->cache_.news().tell(/*for_others=*/true);
  }

  struct Known {
    std::string ns, name, resource_version;
  };
  TextMap<Known> known_;
};

/// The sink of pods. They are too many for names and versions to be kept here, so the state is asked. Changes
/// go through AssumedPods, because a pod may be assumed on a node.
class PodSink : public Sink<Pod> {
 public:
  PodSink(ResourceKind kind, ClusterCache& cache, const OnUndecodable& on_undecodable, PodHandler* handler)
      : Sink<Pod>(kind, cache, on_undecodable), handler_(handler) {}

 private:
  bool is_known(const Pod& pod) const override {
    const ClusterCache::ReadGuard state = cache_.read();
    const ObjectMeta& meta = pod.metadata;
    const PodId id = state->find_pod(meta.namespace_, meta.name);
    if (id == kNone || state.assumed().find(meta.namespace_, meta.name)) return false;
    const PodRecord& record = state->pod(id);
    return record.resource_version != 0 && record.resource_version == to_number(meta.resource_version);
  }

  Names known_but_not_in(const Keys& listed) const override {
    Names gone;
    const ClusterCache::ReadGuard state = cache_.read();
    for (PodId id = 0; id < state->pod_capacity(); ++id) {
      const PodRecord& record = state->pod(id);
      if (record.name.empty()) continue;
      const std::string ns(state->pod_namespace(record));
      if (!listed.contains(ns + '/' + record.name)) gone.emplace_back(ns, record.name);
    }
    return gone;
  }

  void forget() override {}

  void write(Changes changes) override {
    const auto now = std::chrono::steady_clock::now();
    bool lost = false;
    bool rewound = false;
    cache_.write_pods([&](AssumedPods& pods) {
      if (lost = !is_mine(); lost) return;
      rewound = in_list_ && list_version_ != 0 && list_version_ < pods.watched_version();
      if (in_list_) pods.listed(list_version_);
      for (const Change<Pod>& change : changes) {
        if (change.object)
          pods.set(*change.object, now, change.text);
        else if (in_list_)
          pods.not_listed(change.ns, change.name, list_version_);
        else
          pods.remove(change.ns, change.name, change.resource_version);
      }
      if (!in_list_ && !changes.empty()) pods.watched_up_to(changes.back().resource_version);
    });
    if (lost) throw SinkLost();
    if (handler_) hand_on(changes, rewound);
    // A list without changes is news as well: it shows how far the watch has come.
    if (in_list_ || !changes.empty()) cache_.news().tell(std::ranges::any_of(changes, is_for_others));
  }

  void hand_on(const Changes& changes, bool rewound) {
    if (rewound) handler_->on_rewind();
    for (const Change<Pod>& change : changes) {
      if (change.object)
        handler_->on_pod(*change.object);
      else
        handler_->on_gone(change.ns, change.name, in_list_ ? list_version_ : change.resource_version);
    }
    if (in_list_)
      handler_->on_told(list_version_);
    else if (!changes.empty())
      handler_->on_told(changes.back().resource_version);
  }

  /// Whether the change may help another waiting pod. A pod without a node takes no room, unless it is
  /// nominated for a node.
  static bool is_for_others(const Change<Pod>& change) {
    return !change.object || !change.object->spec.node_name.empty() ||
           !change.object->status.nominated_node_name.empty();
  }

  PodHandler* const handler_;
};

}  // namespace

std::unique_ptr<ObjectSink> make_cache_sink(ResourceKind kind, ClusterCache& cache,
                                            const OnUndecodable& on_undecodable, PodHandler* pod_handler) {
  if (kind == kind_of<Pod>) return std::make_unique<PodSink>(kind, cache, on_undecodable, pod_handler);
  std::unique_ptr<ObjectSink> sink;
  for_each_kind([&]<class T>(const Kind<T>&) {
    if constexpr (!std::is_same_v<T, Pod>)
      if (kind == kind_of<T>) sink = std::make_unique<SmallSink<T>>(kind, cache, on_undecodable);
  });
  return sink;
}

}  // namespace winnow::live
