#include "cli/session/delete_many.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "cli/session/go_errors.h"
#include "client/api_error.h"
#include "client/background.h"
#include "client/typed_client.h"

namespace bth::cli {
namespace {

constexpr size_t kLanes = 16;
constexpr int kTriesMax = 5;
constexpr absl::Duration kBusyPause = absl::Seconds(1);

class Deletion final {
 public:
  Deletion(Cluster& cluster, const types::ResourceType& type, const std::vector<Doomed>& objects,
           const std::function<void(size_t)>& on_progress)
      : cluster_(cluster), type_(type), objects_(objects), on_progress_(on_progress) {}

  std::vector<absl::Status> Run() {
    results_.resize(objects_.size());
    net::Executor& executor = cluster_.api().executor();
    std::vector<std::unique_ptr<client::Background>> lanes;
    for (size_t i = 0; i < std::min(kLanes, objects_.size()); ++i) {
      lanes.push_back(std::make_unique<client::Background>());
      lanes.back()->Start(executor, Lane());
    }
    while (done_ < objects_.size()) cluster_.Pause(absl::InfiniteDuration());
    return std::move(results_);
  }

 private:
  net::Awaitable<void> Lane() {
    while (next_ < objects_.size()) {
      const size_t mine = next_++;
      absl::Status result = co_await DeleteOne(mine);
      results_[mine] = std::move(result);
      ++done_;
      on_progress_(done_);
    }
    if (done_ == objects_.size()) cluster_.Interrupt();
  }

  net::Awaitable<absl::Status> DeleteOne(size_t at) {
    const Doomed& object = objects_[at];
    absl::Status status = CheckTarget(object.ns, object.name);
    if (!status.ok()) co_return status;
    for (int tries = 1;; ++tries) {
      client::ApiPath path = client::PathOf(type_, object.ns, object.name);
      client::DeleteOptions options;
      options.uid = object.uid;
      client::ApiClient::Text answer =
          co_await cluster_.api().Delete(std::move(path), std::move(options));
      status = answer.status();
      if (absl::IsNotFound(status)) co_return absl::OkStatus();
      if (!absl::IsResourceExhausted(status) || tries == kTriesMax) break;
      const absl::Duration pause = client::RetryAfter(status).value_or(kBusyPause);
      co_await net::Sleep(cluster_.api().executor(), pause);
    }
    if (status.ok()) co_return status;
    const Target target = {type_, object.ns, object.name};
    co_return cluster_.Told(status, "DELETE", target);
  }

  Cluster& cluster_;
  const types::ResourceType& type_;
  const std::vector<Doomed>& objects_;
  const std::function<void(size_t)>& on_progress_;
  std::vector<absl::Status> results_;
  size_t next_ = 0;
  size_t done_ = 0;
};

}  // namespace

std::vector<absl::Status> DeleteMany(Cluster& cluster, const types::ResourceType& type,
                                     const std::vector<Doomed>& objects,
                                     const std::function<void(size_t)>& on_progress) {
  return Deletion(cluster, type, objects, on_progress).Run();
}

}  // namespace bth::cli
