// Typed informers: a handler is told what exists and how it changes.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "api/types/codec.h"
#include "client/known_objects.h"
#include "client/reflector.h"

namespace bth::client {

// Called in one executor turn for everything that one read from the network brought, then
// OnBatchEnd once. Must not start, stop or destroy its informer. Thread: the executor's.
template <typename T>
class InformerHandler {
 public:
  virtual ~InformerHandler() = default;
  virtual void OnAdd(T&& object) = 0;
  // Same namespace, name and uid as an object added before.
  virtual void OnUpdate(T&& object) = 0;
  virtual void OnDelete(const ObjectKey& key) = 0;
  // Everything that happened up to `version` has been told: an object that is unknown now and was
  // last written no later than that is gone. `whole`: by a list, rather than by events. Comes right
  // before OnBatchEnd. Empty: nothing is known (a collection that counts as empty).
  virtual void OnTold(const std::string& /*version*/, bool /*whole*/) {}
  virtual void OnBatchEnd() {}
};

struct InformerOptions {
  std::string name;            // For messages; empty: the collection's path.
  std::string namespace_name;  // Empty: all.
  ReflectorOptions reflector;  // `collection` and `protobuf` are filled in from T.
  // An object that cannot be read, once for each reason until it is readable again or gone. Its
  // last readable state stays.
  std::function<void(const ObjectKey&, const absl::Status&)> on_malformed;
  // An object that could not be read up to the end is gone. Comes only where the handler hears
  // nothing of it, since it was never readable. The uid is that of the deletion, if it told one.
  std::function<void(const ObjectKey&)> on_malformed_gone;
};

// What does not depend on T.
class InformerBase : protected ReflectorSink {
 public:
  InformerBase(ApiClient& api, Rng& rng, InformerOptions options);
  ~InformerBase() override = default;

  void Start() { reflector_.Start(); }
  void Stop() { reflector_.Stop(); }
  const std::string& name() const { return options_.name; }
  // The first list has been delivered, its OnBatchEnd included.
  bool HasSynced() const { return synced_; }
  // Counts as empty because the server does not know the kind (ReflectorOptions).
  bool IsMissing() const { return reflector_.is_missing(); }
  // Called once, in the turn in which HasSynced becomes true. One observer.
  void SetOnSynced(std::function<void()> action) { on_synced_ = std::move(action); }
  const ReflectorCounters& counters() const { return reflector_.counters(); }
  const absl::Status& last_error() const { return reflector_.last_error(); }
  uint64_t malformed() const { return malformed_; }
  size_t objects() const { return known_.size(); }

 protected:
  virtual void DeliverDelete(const ObjectKey& key) = 0;
  virtual void DeliverTold(const std::string& version, bool whole) = 0;
  virtual void DeliverBatchEnd() = 0;
  // The object exists but is unreadable.
  void KeepMalformed(const ObjectKey& key, const absl::Status& status);
  void NoteReadable(const ObjectKey& key);
  void ApplyDelete(const ObjectKey& key);
  // Where a page or an event stands; empty: it does not say.
  void NotePage(const std::string& version);
  void NoteEvent(const std::string& version);

  net::Executor& executor_;
  KnownObjects known_;

 private:
  void BeginList() final;
  void EndList() final;
  void EndBatch() final;
  void TellMalformedGone(const ObjectKey& key);

  const InformerOptions options_;
  std::function<void()> on_synced_;
  bool synced_ = false;
  uint64_t malformed_ = 0;
  std::string told_;          // Everything up to this version has been told.
  std::string list_version_;  // Of the list that is being read.
  // Fingerprints of the reasons; bounded, see KeepMalformed.
  absl::flat_hash_map<std::string, size_t> reported_;
  // Namespace and name of what is unreadable now, as many as there are; false: a list is being read
  // that has not had it so far.
  std::map<std::pair<std::string, std::string>, bool> unreadable_;
  Reflector reflector_;
};

// `api`, `rng` and `handler` outlive it.
template <typename T>
class Informer final : public InformerBase {
 public:
  Informer(ApiClient& api, Rng& rng, InformerHandler<T>& handler, InformerOptions options)
      : InformerBase(api, rng, WithCollection(std::move(options))), handler_(handler) {}

 private:
  using Event = types::WatchEvent<T>;

  static InformerOptions WithCollection(InformerOptions options) {
    const types::ResourceType& type = types::ResourceTraits<T>::type();
    options.reflector.collection = {type.plural, type.Path(options.namespace_name)};
    options.reflector.protobuf = types::IsReadFromProtobuf<T>();
    if (options.name.empty()) options.name = type.FullName();
    return options;
  }
  static ObjectKey KeyOf(const types::ObjectMeta& meta) { return {meta.ns, meta.name, meta.uid}; }

  void DeliverDelete(const ObjectKey& key) override { handler_.OnDelete(key); }
  void DeliverTold(const std::string& version, bool whole) override {
    handler_.OnTold(version, whole);
  }
  void DeliverBatchEnd() override { handler_.OnBatchEnd(); }

  void Deliver(T&& object) {
    const ObjectKey key = KeyOf(object.meta);
    NoteReadable(key);
    ObjectKey replaced;
    switch (known_.Observe(key, object.meta.resource_version, &replaced)) {
      case KnownObjects::Change::kNone:
        return;
      case KnownObjects::Change::kAdd:
        return handler_.OnAdd(std::move(object));
      case KnownObjects::Change::kUpdate:
        return handler_.OnUpdate(std::move(object));
      case KnownObjects::Change::kReplace:
        handler_.OnDelete(replaced);
        return handler_.OnAdd(std::move(object));
    }
  }

  // An object at which the handler throws hides no other; how far the handler came is not known.
  void DeliverGuarded(T&& object) {
    const ObjectKey key = KeyOf(object.meta);
    try {
      Deliver(std::move(object));
    } catch (...) {
      executor_.barrier().Caught("informer.handler", net::Consequence::kLost);
      KeepMalformed(key, absl::InternalError("taking it ended with an exception"));
    }
  }

  absl::StatusOr<Page> ApplyPage(std::string part, types::Encoding encoding) override {
    BTH_ASSIGN_OR_RETURN(types::ListResult<T> list,
                         types::DecodeList<T>(std::move(part), encoding));
    for (T& object : list.items) DeliverGuarded(std::move(object));
    for (const types::Malformed& item : list.malformed) {
      KeepMalformed({item.ns, item.name, item.uid}, item.status);
    }
    NotePage(list.resource_version);
    return Page{std::move(list.resource_version), std::move(list.continue_token)};
  }

  absl::StatusOr<ReflectorSink::Event> ApplyEvent(std::string line,
                                                  types::Encoding encoding) override {
    BTH_ASSIGN_OR_RETURN(Event event, types::DecodeWatchEvent<T>(std::move(line), encoding));
    ReflectorSink::Event out;
    if (event.type == Event::Type::kError) {
      out.error = event.status;
      return out;
    }
    out.resource_version = event.resource_version;
    NoteEvent(event.resource_version);
    if (event.type == Event::Type::kBookmark) return out;
    if (event.type == Event::Type::kDeleted) {
      ApplyDelete(KeyOf(event.object.meta));
    } else if (event.status.ok()) {
      DeliverGuarded(std::move(event.object));
    } else {
      KeepMalformed(KeyOf(event.object.meta), event.status);
    }
    return out;
  }

  InformerHandler<T>& handler_;
};

// Informers that must all have synced before anything is decided. Thread: the executor's.
class InformerSet final {
 public:
  explicit InformerSet(net::Executor& executor) : executor_(executor) {}

  // `informer` outlives the set's use; all are added before StartAll.
  void Add(InformerBase& informer);
  void StartAll();
  void StopAll();
  bool AllSynced() const;
  // In order of adding.
  std::vector<std::string> Unsynced() const;
  // Those whose kind the server does not know.
  std::vector<std::string> Missing() const;
  // kDeadlineExceeded names what is missing and its last error.
  net::Awaitable<absl::Status> WaitForSync(absl::Duration timeout);

 private:
  void Wake();
  net::Executor& executor_;
  std::vector<InformerBase*> informers_;
  std::vector<net::Promised<bool>> waiting_;
};

}  // namespace bth::client
