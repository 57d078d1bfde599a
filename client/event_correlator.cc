#include "client/event_correlator.h"

#include <algorithm>

#include "base/digest.h"
#include "base/strings.h"

namespace bth::client {
namespace {

constexpr char kCombinedPrefix[] = "(combined from similar events): ";

// '\n' cannot occur in the parts, so that different objects never get equal keys.
std::string EventObjectKey(const EventObject& object) {
  return StrCat(object.api_version, "\n", object.kind, "\n", object.namespace_name, "\n",
                object.name, "\n", object.uid);
}

}  // namespace

std::string EventCorrelator::Correlate(const EventObject& object, EventText* text,
                                       absl::Duration now) {
  similar_.DropWhile(
      [&](const Similar& similar) { return now - similar.last > limits_.similar_interval; });
  std::string key = StrCat(EventObjectKey(object), "\n", text->type, "\n", text->reason);
  Similar& similar = similar_.Touch(key);
  similar.last = now;
  Digest digest;
  digest.Add(text->message);
  auto& messages = similar.messages;
  const bool is_new = std::find(messages.begin(), messages.end(), digest.value()) == messages.end();
  if (is_new && messages.size() <= limits_.similar_max) messages.push_back(digest.value());
  if (similar.messages.size() > limits_.similar_max) {
    text->message = StrCat(kCombinedPrefix, text->message);
    return key;
  }
  return StrCat(key, "\n", text->message);
}

bool EventCorrelator::Admit(const EventObject& object, absl::Duration now) {
  // Those have all their tokens again, as objects that nobody knows.
  spam_.DropWhile([&](const Spam& spam) {
    return now - spam.filled_at >= limits_.object_burst * limits_.object_refill;
  });
  Spam& spam = spam_.Touch(EventObjectKey(object));
  if (!spam.known) {
    spam = {true, limits_.object_burst, now};
  }
  const double refilled = absl::FDivDuration(now - spam.filled_at, limits_.object_refill);
  spam.tokens = std::min(limits_.object_burst, spam.tokens + refilled);
  spam.filled_at = now;
  if (spam.tokens < 1) return false;
  spam.tokens -= 1;
  return true;
}

}  // namespace bth::client
