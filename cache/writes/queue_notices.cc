#include "cache/writes/queue_notices.h"

#include "api/types/queue.h"
#include "api/types/resource.h"
#include "base/log.h"

namespace bth::cache {

void QueueNotices::Take(const framework::CycleReport& report) {
  std::map<std::pair<std::string, std::string>, std::string> now;
  for (const framework::QueueNotice& notice : report.queue_notices) {
    const model::QueueRow& queue = report.snapshot->queues[notice.queue];
    const auto [entry, fresh] = now.try_emplace({*queue.name, notice.reason}, notice.message);
    if (!fresh) continue;
    if (auto known = told_.find(entry->first);
        known != told_.end() && known->second == notice.message) {
      continue;
    }
    Log(LogLevel::kWarning, "queue.faulty",
        {{"queue", *queue.name}, {"reason", notice.reason}, {"message", notice.message}});
    client::EventObject object;
    object.api_version = types::ResourceTraits<types::Queue>::type().ApiVersion();
    object.kind = "Queue";
    object.name = *queue.name;
    object.uid = queue.uid;
    events_.Record(object, {"Warning", notice.reason, notice.message});
  }
  told_ = std::move(now);
}

}  // namespace bth::cache
