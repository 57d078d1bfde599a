#include "client/event_recorder.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_format.h"
#include "api/types/time.h"
#include "base/cut_text.h"
#include "base/doubled.h"
#include "base/strings.h"
#include "client/bodies.h"
#include "client/patch.h"

namespace bth::client {
namespace {

constexpr size_t kMessageBytesMax = 1024;
constexpr size_t kObjectNameBytesMax = 253 - 17;  // An event's name adds ".<16 hex digits>".
constexpr char kCutMark[] = " ...";

// At most 1,024 bytes, cut between characters.
void CutMessage(std::string* message) {
  if (message->size() <= kMessageBytesMax) return;
  message->resize(CutText(*message, kMessageBytesMax - (sizeof(kCutMark) - 1)).size());
  *message += kCutMark;
}

ApiPath EventsPath(const EventObject& object, const std::string& name) {
  std::string path =
      StrCat("/api/v1/namespaces/", net::PercentEncode(EventNamespace(object)), "/events");
  if (!name.empty()) StrAppend(&path, "/", net::PercentEncode(name));
  return {"events", std::move(path)};
}

// Worth another attempt: the server is busy or away, rather than of another opinion.
bool Retryable(const absl::Status& status) {
  return absl::IsUnavailable(status) || absl::IsResourceExhausted(status) ||
         absl::IsDeadlineExceeded(status);
}

}  // namespace

EventRecorder::EventRecorder(ApiClient& api, Rng& rng, EventRecorderOptions options)
    : api_(api),
      rng_(rng),
      options_(std::move(options)),
      correlator_(options_.limits),
      parked_(api.executor(), [this](Event* event) { Requeue(event); }) {
  for (int i = 0; i < options_.senders; ++i) {
    senders_.push_back(std::make_unique<Background>());
    senders_.back()->Keep(api_.executor(), "events.sender", [this] { return SendLoop(); });
  }
}

EventRecorder::~EventRecorder() {
  api_.executor().CancelTimer(gate_timer_);
  api_.executor().CancelTimer(pause_);
}

void EventRecorder::Tell(EventFate fate) const {
  if (options_.on_fate) options_.on_fate(fate);
}

EventRecorder::Event* EventRecorder::FindOrAdd(const std::string& key) {
  if (const auto found = events_.find(key); found != events_.end()) return found->second.get();
  if (queue_.size() >= options_.queue_max) return nullptr;
  auto event = std::make_unique<Event>();
  event->key = key;
  const std::string_view own_key = event->key;
  return events_.emplace(own_key, std::move(event)).first->second.get();
}

void EventRecorder::Record(const EventObject& object, EventText text) {
  ++counters_.recorded;
  const absl::Duration now = api_.executor().Monotonic();
  CutMessage(&text.message);
  const std::string key = correlator_.Correlate(object, &text, now);
  CutMessage(&text.message);
  if (!correlator_.Admit(object, now)) {
    ++counters_.filtered;
    Tell(EventFate::kFiltered);
    return;
  }
  Event* event = FindOrAdd(key);
  if (event == nullptr) {
    ++counters_.overflow;
    Tell(EventFate::kOverflow);
    return;
  }
  if (event->queued || event->sending) ++counters_.merged;
  event->last = api_.executor().Now();
  if (event->count++ == 0) event->first = event->last;
  if (event->words == nullptr) {
    event->words = std::make_unique<Words>();
    event->words->object = object;
  }
  event->words->text = std::move(text);
  if (event->sending) {
    event->changed = true;
  } else if (!event->queued) {
    Enqueue(event);
  }
}

void EventRecorder::Enqueue(Event* event) {
  if (event->known) known_order_.erase(event->known_at);
  event->known = false;
  event->queued = true;
  queue_.push_back(event);
  if (!open()) return AskGateLater();
  if (waiting_.empty()) return;
  waiting_.back().Set(true);
  waiting_.pop_back();
}

void EventRecorder::Wake() {
  api_.executor().CancelTimer(std::exchange(gate_timer_, 0));
  if (queue_.empty()) return;
  if (!open()) return AskGateLater();
  for (size_t n = std::min(queue_.size(), waiting_.size()); n > 0; --n) {
    waiting_.back().Set(true);
    waiting_.pop_back();
  }
}

// Nobody may tell when the gate opens. A pause ends by itself.
void EventRecorder::AskGateLater() {
  if (gate_timer_ != 0 || pause_ != 0) return;
  gate_timer_ = api_.executor().RunAfter(options_.gate_period, [this] {
    gate_timer_ = 0;
    Wake();
  });
}

void EventRecorder::Settle(Event* event, bool exists) {
  event->sending = false;
  if (!exists) event->name_ns = 0;
  if (event->changed) {
    event->changed = false;
    return Enqueue(event);
  }
  if (!exists) {
    events_.erase(event->key);
    return;
  }
  event->words.reset();
  event->known = true;
  event->known_at = known_order_.insert(known_order_.end(), event);
  const absl::Time outdated = api_.executor().Now() - options_.known_age_max;
  while (!known_order_.empty() &&
         (known_order_.size() > options_.known_max || known_order_.front()->last < outdated)) {
    const std::string oldest = known_order_.front()->key;
    known_order_.pop_front();
    events_.erase(oldest);
  }
}

net::Awaitable<void> EventRecorder::WaitForWork() {
  while (queue_.empty() || !open()) {
    if (!queue_.empty()) AskGateLater();
    const net::Promised<bool> woken(api_.executor());
    waiting_.push_back(woken);
    co_await woken.Wait();
  }
}

net::Awaitable<void> EventRecorder::SendLoop() {
  for (;;) {
    co_await WaitForWork();
    Event* event = queue_.front();
    queue_.pop_front();
    event->queued = false;
    event->sending = true;
    event->changed = false;
    const bool existed = event->name_ns != 0;
    ++busy_;
    const absl::Status status = co_await Send(event);
    --busy_;
    Sent(event, existed, status);
  }
}

net::Awaitable<absl::Status> EventRecorder::Send(Event* event) {
  try {
    co_return co_await SendOnce(event);
  } catch (...) {
    api_.executor().barrier().Caught("events.write", net::Consequence::kFailed);
  }
  co_return absl::InternalError("the write ended with an exception");
}

void EventRecorder::Sent(Event* event, bool existed, const absl::Status& status) {
  if (status.ok()) {
    ++(existed ? counters_.counted : counters_.created);
    busy_key_.clear();
    event->attempts = 0;
    Tell(EventFate::kSent);
    return Settle(event, true);
  }
  const bool expired = existed && absl::IsNotFound(status);
  const bool again = ++event->attempts < options_.attempts_max;
  if (expired && again) {
    event->name_ns = 0;  // It expired on the server: a new one takes over the count.
    return Requeue(event);
  }
  if (!Retryable(status) || !again) {
    ++counters_.failed;
    event->attempts = 0;
    Tell(EventFate::kFailed);
    return Settle(event, false);
  }
  const absl::Duration pause = PauseOf(*event, status);
  if (absl::IsResourceExhausted(status)) NoteBusy(*event, pause);
  Tell(EventFate::kRetried);
  parked_.Park(event, pause);
}

// Ahead of what came later.
void EventRecorder::Requeue(Event* event) {
  event->sending = false;
  event->queued = true;
  queue_.push_front(event);
  Wake();
}

absl::Duration EventRecorder::PauseOf(const Event& event, const absl::Status& status) {
  const absl::Duration step =
      Doubled(options_.retry.first, event.attempts - 1, options_.retry.second);
  return std::max(step * (0.5 + 0.5 * rng_.Unit()),
                  RetryAfter(status).value_or(absl::ZeroDuration()));
}

// One event that is turned away may have itself to blame: servers limit events by namespace. Two
// in a row, and nothing succeeded between them: the server means everybody.
void EventRecorder::NoteBusy(const Event& event, absl::Duration delay) {
  const bool everybody = !busy_key_.empty() && busy_key_ != event.key;
  busy_key_ = event.key;
  if (!everybody || pause_ != 0) return;
  pause_ = api_.executor().RunAfter(std::min(delay, options_.busy_pause_max), [this] {
    pause_ = 0;
    busy_key_.clear();
    Wake();
  });
}

net::Awaitable<absl::Status> EventRecorder::SendOnce(Event* event) {
  if (event->name_ns == 0) {
    event->name_ns = NewName();
    const RequestMaker make = [this, event](types::Encoding encoding) {
      return CreateRequest(*event, encoding);
    };
    const ApiClient::Text created = co_await api_.CreateEncoded("events", make);
    // After an unknown outcome the name stays out of use: the next attempt takes a new one.
    if (!created.ok()) event->name_ns = 0;
    co_return created.status();
  }
  ApiRequest request;
  request.last = true;
  MergePatch patch;
  patch.Set({"count"}, event->count)
      .Set({"message"}, event->words->text.message)
      .Set({"lastTimestamp"}, types::FormatTimestamp(event->last));
  request.verb = "patch";
  request.method = "PATCH";
  request.path = EventsPath(event->words->object, NameOf(*event));
  request.content_type = "application/merge-patch+json";
  request.body = patch.Build().body;
  const ApiClient::Text patched = co_await api_.Call(std::move(request));
  co_return patched.status();
}

// No two of a process are equal.
int64_t EventRecorder::NewName() {
  last_name_ns_ = std::max(last_name_ns_ + 1, absl::ToUnixNanos(api_.executor().Now()));
  return last_name_ns_;
}

std::string EventRecorder::NameOf(const Event& event) {
  return absl::StrFormat("%s.%x", event.words->object.name.substr(0, kObjectNameBytesMax),
                         event.name_ns);
}

ApiRequest EventRecorder::CreateRequest(const Event& event, types::Encoding encoding) const {
  const std::string name = NameOf(event);
  const EventFields fields{.name = name,
                           .object = event.words->object,
                           .text = event.words->text,
                           .component = options_.component,
                           .host = options_.host,
                           .first = event.first,
                           .last = event.last,
                           .count = event.count};
  ApiRequest request;
  request.path = EventsPath(event.words->object, "");
  request.body = EventBody(fields, encoding);
  request.last = true;
  return request;
}

}  // namespace bth::client
