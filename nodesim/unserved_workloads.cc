#include "nodesim/unserved_workloads.h"

#include <optional>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "api/types/json.h"
#include "api/types/workload.h"
#include "base/strings.h"
#include "client/event_object.h"
#include "client/typed_client.h"

namespace bth::nodesim {
namespace {

client::WorkQueueOptions WorkloadQueueOptions(const UnservedWorkloadsOptions& options) {
  client::WorkQueueOptions out;
  out.backoff_initial = options.retry_initial;
  out.backoff_max = options.retry_max;
  return out;
}

client::EventRecorderOptions WorkloadEvents(const UnservedWorkloadsOptions& options) {
  client::EventRecorderOptions out;
  out.component = options.component;
  return out;
}

}  // namespace

template <typename T>
class UnservedWorkloads::Handler final : public client::InformerHandler<T> {
 public:
  Handler(UnservedWorkloads& workloads, size_t kind) : workloads_(workloads), kind_(kind) {}
  // A controller looks at a workload when it is made; later changes tell nothing new.
  void OnAdd(T&& object) override {
    if (object.meta.Controller() != nullptr) return;  // Its owner is told of.
    workloads_.queue_.AddAfter(KeyOf(object.meta.ns, object.meta.name),
                               workloads_.options_.patience);
  }
  void OnUpdate(T&& /*object*/) override {}
  void OnDelete(const client::ObjectKey& key) override {
    workloads_.queue_.Drop(KeyOf(key.namespace_name, key.name));
  }

 private:
  std::string KeyOf(const std::string& ns, const std::string& name) const {
    return StrCat(kind_, "/", ns, "/", name);
  }

  UnservedWorkloads& workloads_;
  const size_t kind_;
};

template <typename T>
void UnservedWorkloads::Watch(std::string_view mark) {
  watched_.Add<T>(std::make_shared<Handler<T>>(*this, kinds_.size()));
  kinds_.push_back({&types::ResourceTraits<T>::type(), mark});
}

UnservedWorkloads::UnservedWorkloads(client::ApiClient& api, Rng& rng,
                                     UnservedWorkloadsOptions options)
    : api_(api),
      options_(std::move(options)),
      events_(api, rng, WorkloadEvents(options_)),
      queue_(api.executor(), WorkloadQueueOptions(options_)),
      watched_(api, rng) {
  constexpr std::string_view kGeneration = "observedGeneration";
  Watch<types::Deployment>(kGeneration);
  Watch<types::ReplicaSet>(kGeneration);
  Watch<types::StatefulSet>(kGeneration);
  Watch<types::DaemonSet>(kGeneration);
  Watch<types::ReplicationController>(kGeneration);
  Watch<types::KubeJob>("startTime");
}

UnservedWorkloads::~UnservedWorkloads() {
  watched_.StopAll();
  lane_.Stop();
}

void UnservedWorkloads::Start() {
  watched_.StartAll();
  lane_.Keep(api_.executor(), "nodesim.workloads", [this] { return Lane(); });
}

net::Awaitable<void> UnservedWorkloads::Lane() {
  for (;;) {
    const std::optional<std::string> key = co_await queue_.Next();
    if (!key) co_return;
    const absl::Status status = co_await Look(*key);
    if (status.ok()) {
      queue_.Forget(*key);
    } else {
      queue_.AddRateLimited(*key, client::RetryAfter(status).value_or(absl::ZeroDuration()));
    }
    queue_.Done(*key);
  }
}

net::Awaitable<absl::Status> UnservedWorkloads::Look(std::string key) {
  const std::vector<std::string> parts = absl::StrSplit(key, '/');
  size_t number = 0;
  if (!absl::SimpleAtoi(parts[0], &number)) co_return absl::InternalError("a key without a kind");
  const Kind kind = kinds_[number];
  client::ApiPath path = client::PathOf(*kind.type, parts[1], parts[2]);
  const client::ApiClient::Text text = co_await api_.Get(std::move(path));
  if (absl::IsNotFound(text.status())) co_return absl::OkStatus();
  if (!text.ok()) co_return text.status();
  const absl::StatusOr<types::Json> object = types::Json::Parse(*text);
  if (!object.ok()) co_return object.status();
  if (!(*object)["status"][kind.mark].is_null()) co_return absl::OkStatus();
  const client::ObjectKey about = {parts[1], parts[2],
                                   std::string(object->At({"metadata", "uid"}).AsString())};
  ++told_;
  events_.Record(
      client::EventObjectOf(*kind.type, about),
      {"Warning", "NoController",
       StrCat("nobody runs a controller of ", kind.type->plural, " here, so no pods come of ",
              "it: make a Job of batch.volcano.sh or the pods themselves, or run ",
              "kube-controller-manager against this server")});
  co_return absl::OkStatus();
}

}  // namespace bth::nodesim
