#include "scheduler/object_notices.h"

#include <utility>

#include "base/log.h"
#include "base/strings.h"

namespace bth::scheduler {

ObjectNotices::Key ObjectNotices::KeyOf(const client::EventObject& object,
                                        std::string_view reason) {
  return {object.kind, object.namespace_name, object.name, std::string(reason)};
}

void ObjectNotices::Put(const client::EventObject& object, std::string_view reason,
                        std::string message) {
  const Key key = KeyOf(object, reason);
  auto known = notices_.find(key);
  if (known == notices_.end()) {
    if (notices_.size() >= kNoticesMax) {
      if (metrics_ != nullptr) metrics_->LimitReached("object_notices");
      return;
    }
    known = notices_.try_emplace(key).first;
  } else if (known->second.message == message && known->second.object.uid == object.uid) {
    return;
  }
  known->second = {object, std::move(message)};
  waiting_.insert(key);
}

void ObjectNotices::Mended(const client::EventObject& object, std::string_view reason) {
  if (notices_.empty()) return;
  const Key key = KeyOf(object, reason);
  notices_.erase(key);
  waiting_.erase(key);
}

void ObjectNotices::Gone(const client::EventObject& object) {
  const Key first = KeyOf(object, "");
  const auto is_of_object = [&first](const Key& key) {
    return std::get<0>(key) == std::get<0>(first) && std::get<1>(key) == std::get<1>(first) &&
           std::get<2>(key) == std::get<2>(first);
  };
  for (auto at = notices_.lower_bound(first); at != notices_.end() && is_of_object(at->first);) {
    waiting_.erase(at->first);
    at = notices_.erase(at);
  }
}

void ObjectNotices::Tell(client::EventRecorder& events,
                         const std::function<bool(const client::EventObject&)>& may_tell) {
  for (auto at = waiting_.begin(); at != waiting_.end();) {
    const Notice& notice = notices_.at(*at);
    if (!may_tell(notice.object)) {
      ++at;
      continue;
    }
    const std::string& reason = std::get<3>(*at);
    Log(LogLevel::kWarning, "object.faulty",
        {{"kind", notice.object.kind},
         {"object", StrCat(notice.object.namespace_name, "/", notice.object.name)},
         {"reason", reason},
         {"message", notice.message}});
    events.Record(notice.object, {"Warning", reason, notice.message});
    at = waiting_.erase(at);
  }
}

}  // namespace bth::scheduler
