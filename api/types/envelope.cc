#include "api/types/envelope.h"

#include "base/strings.h"

namespace bth::types {
namespace {

constexpr std::string_view kInitialEventsEnd = "k8s.io/initial-events-end";

}  // namespace

bool IsEventType(std::string_view type) {
  return type == "ADDED" || type == "MODIFIED" || type == "DELETED" || type == "BOOKMARK" ||
         type == "ERROR";
}

absl::Status NotAnEvent(std::string_view type) {
  return absl::InvalidArgumentError(StrCat("watch event: type \"", type.substr(0, 64),
                                           "\": expected ADDED, MODIFIED, DELETED, "
                                           "BOOKMARK or ERROR"));
}

void FinishEvent(const codec_internal::Resource& resource, const absl::Status& error,
                 codec_internal::EventTarget* target) {
  const ObjectMeta& meta = resource.meta(target->object);
  const bool bookmark = target->type == "BOOKMARK";
  absl::Status status = error;
  if (status.ok() && meta.name.empty() && !bookmark) {
    status = absl::InvalidArgumentError("metadata.name: missing");
  }
  target->status = NameObject(status, resource, meta);
  target->initial_events_end = bookmark && meta.Annotation(kInitialEventsEnd) == "true";
}

}  // namespace bth::types
