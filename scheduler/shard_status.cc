#include "scheduler/shard_status.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "api/types/json.h"
#include "api/types/node_shard.h"
#include "api/types/time.h"
#include "base/log.h"
#include "base/strings.h"
#include "client/patch.h"
#include "client/typed_client.h"

namespace bth::scheduler {
namespace {

using types::Json;

constexpr absl::Duration kShardPauseFirst = absl::Milliseconds(100);
constexpr absl::Duration kShardPauseMax = absl::Seconds(30);

Json NamesJson(const std::vector<std::string>& names) {
  Json list = Json::MakeArray();
  for (const std::string& name : names) list.MutableItems().emplace_back(name);
  return list;
}

client::Patch StatusPatch(const cache::ShardNews& news, absl::Time now) {
  client::MergePatch patch;
  patch.Set({"status", "lastUpdateTime"}, Json(types::FormatTimestamp(now)));
  patch.Set({"status", "nodesInUse"}, NamesJson(news.use.in_use));
  patch.Set({"status", "nodesToRemove"}, NamesJson(news.use.to_remove));
  patch.Set({"status", "nodesToAdd"}, NamesJson(news.use.to_add));
  patch.RequireResourceVersion(news.resource_version);
  return patch.Build();
}

}  // namespace

ShardStatus::~ShardStatus() {
  if (timer_ != 0) api_.executor().CancelTimer(timer_);
}

void ShardStatus::Tell() {
  NoteLack();
  if (writer_.running() || timer_ != 0) return;
  std::optional<cache::ShardNews> news = mirror_.TakeShardNews();
  if (!news || news->resource_version == written_over_) return;
  writer_.Start(api_.executor(), Write(*std::move(news)));
}

void ShardStatus::NoteLack() {
  const bool lacks = mirror_.lacks_shard();
  if (metrics_ != nullptr) {
    metrics_->SetShard(static_cast<int64_t>(mirror_.nodes_in_shard()), lacks);
  }
  if (std::exchange(lacks_, lacks) == lacks) return;
  if (!lacks) {
    Log(LogLevel::kInfo, "shard.found", {{"nodes", mirror_.nodes_in_shard()}});
    return;
  }
  Log(LogLevel::kError, "shard.missing",
      {{"shard", mirror_.shard_name()},
       {"effect", "the shard stays as it was: empty, if there never was one"},
       {"remedy",
        "let the sharding controller make a NodeShard of that name (vc-controller-manager "
        "--controllers=*,sharding-controller), or give its name as --scheduler-sharding-name"}});
}

net::Awaitable<void> ShardStatus::Write(cache::ShardNews news) {
  client::ApiPath path = client::PathOf<types::NodeShard>("", news.name);
  client::Patch patch = StatusPatch(news, api_.executor().Now());
  const client::ApiClient::Text answer =
      co_await api_.PatchStatus(std::move(path), std::move(patch));
  if (answer.ok()) {
    pause_ = absl::ZeroDuration();
    written_over_ = news.resource_version;
    Log(LogLevel::kInfo, "shard.told",
        {{"shard", news.name},
         {"in_use", news.use.in_use.size()},
         {"to_add", news.use.to_add.size()},
         {"to_remove", news.use.to_remove.size()}});
  } else {
    // Of a conflict the watch tells the reason.
    if (!absl::IsAborted(answer.status())) {
      if (const auto line =
              failures_.Note(ToStd(answer.status().message()), api_.executor().Monotonic())) {
        Log(LogLevel::kWarning, "shard.not_told",
            {{"shard", news.name}, {"status", answer.status()}, {"times", line->times}});
      }
    }
    pause_ = std::clamp(2 * pause_, kShardPauseFirst, kShardPauseMax);
  }
  // Whoever asked meanwhile was put off.
  timer_ = api_.executor().RunAfter(pause_, [this] {
    timer_ = 0;
    again_();
  });
}

}  // namespace bth::scheduler
