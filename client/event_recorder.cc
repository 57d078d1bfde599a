#include "client/event_recorder.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "api/types/json.h"
#include "client/backoff.h"
#include "client/patch.h"

namespace bth::client {
namespace {

constexpr size_t kMessageBytesMax = 1024;
constexpr size_t kObjectNameBytesMax = 253 - 17;  // An event's name adds ".<16 hex digits>".
constexpr char kCutMark[] = " ...";

std::string Stamp(absl::Time time) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", time, absl::UTCTimeZone());
}

// At most 1,024 bytes, cut between characters.
void CutMessage(std::string* message) {
  if (message->size() <= kMessageBytesMax) return;
  size_t end = kMessageBytesMax - (sizeof(kCutMark) - 1);
  while (end > 0 && (static_cast<unsigned char>((*message)[end]) & 0xc0) == 0x80) --end;
  message->resize(end);
  *message += kCutMark;
}

ApiPath EventsPath(const EventObject& object, const std::string& name) {
  const std::string space = object.namespace_name.empty() ? "default" : object.namespace_name;
  std::string path = absl::StrCat("/api/v1/namespaces/", net::PercentEncode(space), "/events");
  if (!name.empty()) absl::StrAppend(&path, "/", net::PercentEncode(name));
  return {"events", std::move(path)};
}

// Worth another attempt: the server is busy or away, rather than of another opinion.
bool Retryable(const absl::Status& status) {
  return absl::IsUnavailable(status) || absl::IsResourceExhausted(status) ||
         absl::IsDeadlineExceeded(status);
}

}  // namespace

EventRecorder::EventRecorder(ApiClient& api, Rng& rng, EventRecorderOptions options)
    : api_(api), rng_(rng), options_(std::move(options)), correlator_(options_.limits) {
  for (int i = 0; i < options_.senders; ++i) {
    senders_.push_back(std::make_unique<Background>());
    senders_.back()->Start(api_.executor(), SendLoop());
  }
}

EventRecorder::~EventRecorder() {
  if (gate_timer_ != 0) api_.executor().CancelTimer(gate_timer_);
}

EventRecorder::Event* EventRecorder::FindOrAdd(const std::string& key) {
  if (const auto found = events_.find(key); found != events_.end()) return found->second.get();
  if (queue_.size() >= options_.queue_max) return nullptr;
  auto event = std::make_unique<Event>();
  event->key = key;
  return events_.emplace(key, std::move(event)).first->second.get();
}

void EventRecorder::Record(const EventObject& object, EventText text) {
  ++counters_.recorded;
  const absl::Duration now = api_.executor().Monotonic();
  CutMessage(&text.message);
  const std::string key = correlator_.Correlate(object, &text, now);
  CutMessage(&text.message);
  if (!correlator_.Admit(object, now)) {
    ++counters_.filtered;
    return;
  }
  Event* event = FindOrAdd(key);
  if (event == nullptr) {
    ++counters_.overflow;
    return;
  }
  if (event->queued || event->sending) ++counters_.merged;
  event->last = api_.executor().Now();
  if (event->count++ == 0) {
    event->object = object;
    event->first = event->last;
  }
  event->text = std::move(text);
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
  Wake();
}

void EventRecorder::Wake() {
  if (gate_timer_ != 0) api_.executor().CancelTimer(std::exchange(gate_timer_, 0));
  for (const net::Promised<bool>& waiter : std::exchange(waiting_, {})) waiter.Set(true);
}

void EventRecorder::Settle(Event* event, bool exists) {
  event->sending = false;
  if (!exists) event->name.clear();
  if (event->changed) {
    event->changed = false;
    return Enqueue(event);
  }
  if (!exists) {
    events_.erase(event->key);
    return;
  }
  event->known = true;
  event->known_at = known_order_.insert(known_order_.end(), event);
  if (known_order_.size() > options_.known_max) {
    const std::string oldest = known_order_.front()->key;
    known_order_.pop_front();
    events_.erase(oldest);
  }
}

net::Awaitable<void> EventRecorder::WaitForWork() {
  for (;;) {
    const bool open = !options_.gate || options_.gate();
    if (!queue_.empty() && open) co_return;
    const net::Promised<bool> woken(api_.executor());
    waiting_.push_back(woken);
    if (queue_.empty()) {
      co_await woken.Wait();
      continue;
    }
    // The gate is closed: nobody may tell when it opens.
    if (gate_timer_ == 0) {
      auto ask_again = [this] {
        gate_timer_ = 0;
        Wake();
      };
      gate_timer_ = api_.executor().RunAfter(options_.gate_period, std::move(ask_again));
    }
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
    ++busy_;
    co_await Send(event);
    --busy_;
  }
}

net::Awaitable<void> EventRecorder::Send(Event* event) {
  Backoff backoff(absl::Seconds(1), absl::Seconds(30), rng_);
  for (int attempt = 1;; ++attempt) {
    const bool existed = !event->name.empty();
    event->changed = false;
    const absl::Status status = co_await SendOnce(event);
    if (status.ok()) {
      ++(existed ? counters_.counted : counters_.created);
      co_return Settle(event, true);
    }
    if (existed && absl::IsNotFound(status) && attempt < options_.attempts_max) {
      event->name.clear();  // It expired on the server: a new one takes over the count.
      continue;
    }
    if (!Retryable(status) || attempt >= options_.attempts_max) {
      ++counters_.failed;
      co_return Settle(event, false);
    }
    co_await net::Sleep(api_.executor(), backoff.Next(status));
  }
}

net::Awaitable<absl::Status> EventRecorder::SendOnce(Event* event) {
  if (event->name.empty()) {
    const std::string name = NewName(event->object.name);
    event->name = name;
    ApiPath path = EventsPath(event->object, "");
    const ApiClient::Text created = co_await api_.Create(std::move(path), CreateBody(*event));
    // After an unknown outcome the name stays out of use: the next attempt takes a new one.
    if (!created.ok()) event->name.clear();
    co_return created.status();
  }
  MergePatch patch;
  patch.Set({"count"}, event->count)
      .Set({"message"}, event->text.message)
      .Set({"lastTimestamp"}, Stamp(event->last));
  ApiPath path = EventsPath(event->object, event->name);
  const ApiClient::Text patched = co_await api_.Patch(std::move(path), patch.Build());
  co_return patched.status();
}

std::string EventRecorder::NewName(const std::string& object_name) {
  const int64_t now_ns = absl::ToUnixNanos(api_.executor().Now());
  last_name_ns_ = std::max(last_name_ns_ + 1, now_ns);
  return absl::StrFormat("%s.%x", object_name.substr(0, kObjectNameBytesMax), last_name_ns_);
}

std::string EventRecorder::CreateBody(const Event& event) const {
  using types::Json;
  const EventObject& object = event.object;
  const std::string space = object.namespace_name.empty() ? "default" : object.namespace_name;
  Json involved = Json::MakeObject(
      {{"apiVersion", object.api_version}, {"kind", object.kind}, {"name", object.name}});
  if (!object.namespace_name.empty()) involved.Set("namespace", object.namespace_name);
  if (!object.uid.empty()) involved.Set("uid", object.uid);
  Json source = Json::MakeObject({{"component", options_.component}});
  if (!options_.host.empty()) source.Set("host", options_.host);
  Json metadata = Json::MakeObject({{"name", event.name}, {"namespace", space}});
  return Json::MakeObject({{"apiVersion", "v1"},
                           {"kind", "Event"},
                           {"metadata", std::move(metadata)},
                           {"involvedObject", std::move(involved)},
                           {"type", event.text.type},
                           {"reason", event.text.reason},
                           {"message", event.text.message},
                           {"source", std::move(source)},
                           {"reportingComponent", options_.component},
                           {"reportingInstance", options_.host},
                           {"count", event.count},
                           {"firstTimestamp", Stamp(event.first)},
                           {"lastTimestamp", Stamp(event.last)}})
      .Dump();
}

}  // namespace bth::client
