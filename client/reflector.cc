#include "client/reflector.h"

#include <utility>

#include "base/status.h"
#include "base/strings.h"

namespace bth::client {
namespace {

// A watch that lasted so long was no failure, even if nothing happened.
constexpr absl::Duration kUsefulAfter = absl::Seconds(1);
constexpr size_t kPagesMax = 1'000'000;  // A server that never ends its list.

// Cancels a watch when nothing was heard for `limit`. One timer, moved on only when it fires.
class StallGuard final {
 public:
  StallGuard(net::Executor& executor, absl::Duration limit, net::CancelToken cancel)
      : executor_(executor), limit_(limit), cancel_(std::move(cancel)) {
    Heard();
    Arm(limit_);
  }
  StallGuard(const StallGuard&) = delete;
  ~StallGuard() { executor_.CancelTimer(timer_); }
  void Heard() { heard_at_ = executor_.Monotonic(); }
  bool stalled() const { return stalled_; }

 private:
  void Arm(absl::Duration delay) {
    timer_ = executor_.RunAfter(delay, [this] { Check(); });
  }
  void Check() {
    const absl::Duration quiet = executor_.Monotonic() - heard_at_;
    if (quiet < limit_) return Arm(limit_ - quiet);
    stalled_ = true;
    cancel_.Cancel();
  }

  net::Executor& executor_;
  const absl::Duration limit_;
  const net::CancelToken cancel_;
  absl::Duration heard_at_;
  bool stalled_ = false;
  net::Executor::TimerId timer_ = 0;
};

}  // namespace

Reflector::Reflector(ApiClient& api, ReflectorSink& sink, Rng& rng, ReflectorOptions options)
    : api_(api),
      sink_(sink),
      rng_(rng),
      options_(std::move(options)),
      backoff_(options_.backoff_initial, options_.backoff_max, rng) {}

void Reflector::Start() {
  // Its sink may not know what it took for known.
  work_.Keep(
      api_.executor(), "reflector", [this] { return Run(); }, net::Consequence::kLost);
}

void Reflector::Stop() {
  work_.Stop();
}

bool Reflector::TreatAsEmpty(const absl::Status& status) const {
  if (options_.absent_is_empty && absl::IsNotFound(status)) return true;
  return IsForbidden(status) && version_.empty();
}

bool Reflector::IsForbidden(const absl::Status& status) const {
  return options_.forbidden_is_empty && absl::IsPermissionDenied(status);
}

void Reflector::NoteForbidden(const absl::Status& status) {
  if (std::exchange(forbidden_, true) || !options_.on_forbidden) return;
  options_.on_forbidden(status);
}

void Reflector::NotePresence(bool is_there) {
  const bool was_missing = std::exchange(missing_, !is_there);
  if ((is_there && !was_missing) || !options_.on_presence) return;
  options_.on_presence(is_there);
}

net::Awaitable<void> Reflector::Run() {
  version_.clear();  // What a run that was cut off applied of a list or watch is not known.
  for (;;) {
    absl::Status status;
    bool useful = false;
    if (version_.empty()) status = co_await ListOnce();
    if (status.ok()) status = co_await WatchOnce(&useful);
    if (useful) backoff_.Reset();
    last_error_ = status;
    if (status.ok() && useful) continue;
    if (IsForbidden(status)) NoteForbidden(status);
    if (IsForbidden(status) && !version_.empty()) {
      // It may be listed, not watched.
      version_.clear();
      last_error_ = absl::OkStatus();
      co_await net::Sleep(api_.executor(), options_.backoff_max * (0.5 + 0.5 * rng_.Unit()));
      continue;
    }
    if (TreatAsEmpty(status)) {
      // A CRD that appears or vanishes, or a role that lacks the kind: its objects are gone, and
      // it is asked for from time to time.
      absent_ = true;
      if (absl::IsNotFound(status)) NotePresence(false);
      sink_.BeginList();
      sink_.EndList();
      version_.clear();
      last_error_ = absl::OkStatus();
      co_await net::Sleep(api_.executor(), options_.backoff_max * (0.5 + 0.5 * rng_.Unit()));
      continue;
    }
    if (absl::IsOutOfRange(status)) ++counters_.expired;
    if (absl::IsOutOfRange(status) || absl::IsDataLoss(status)) {
      version_.clear();
      list_newest_ = true;
    }
    if (!status.ok()) {
      ++counters_.failures;
      if (options_.on_error) options_.on_error(status);
    }
    co_await net::Sleep(api_.executor(), backoff_.Next(status));
  }
}

net::Awaitable<absl::Status> Reflector::ListOnce() {
  ListOptions list;
  list.label_selector = options_.label_selector;
  list.field_selector = options_.field_selector;
  list.limit = options_.page_size;
  list.protobuf = options_.protobuf;
  list.timeout = options_.list_timeout;
  if (options_.list_from_cache && !list_newest_ && counters_.lists == 0)
    list.resource_version = "0";
  if (counters_.lists > 0 && options_.on_relist) options_.on_relist();
  watched_ = false;
  sink_.BeginList();
  ReflectorSink::Page page;
  for (size_t pages = 0;; ++pages) {
    absl::StatusOr<ReflectorSink::Page> applied = co_await ListPage(list);
    if (!applied.ok()) {
      co_return WithContext(applied.status(), StrCat("list ", options_.collection.path));
    }
    page = *std::move(applied);
    if (page.continue_token.empty()) break;
    if (pages == kPagesMax) co_return absl::UnavailableError("list: it has no end");
    list.continue_token = page.continue_token;
  }
  if (page.resource_version.empty()) {
    co_return absl::UnavailableError(
        StrCat("list ", options_.collection.path, ": the answer has no resourceVersion"));
  }
  version_ = page.resource_version;
  absent_ = false;
  NotePresence(true);
  ++counters_.lists;
  last_error_ = absl::OkStatus();
  sink_.EndList();
  co_return absl::OkStatus();
}

// What has arrived is applied while the server sends the rest.
net::Awaitable<absl::StatusOr<ReflectorSink::Page>> Reflector::ListPage(ListOptions list) {
  list.cancel = net::CancelToken();  // Its own: copies share one.
  const net::CancelToken cancel = list.cancel;
  absl::StatusOr<ListStream> stream =
      co_await api_.ListInParts(options_.collection, std::move(list));
  BTH_CO_RETURN_IF_ERROR(stream);
  StallGuard guard(api_.executor(), options_.list_timeout, cancel);
  for (;;) {
    absl::StatusOr<ListStream::Part> part = co_await stream->Next();
    if (guard.stalled()) {
      ++counters_.stalls;
      co_return absl::UnavailableError(
          StrCat("nothing heard for ", absl::FormatDuration(options_.list_timeout)));
    }
    BTH_CO_RETURN_IF_ERROR(part);
    guard.Heard();
    absl::StatusOr<ReflectorSink::Page> page =
        sink_.ApplyPage(std::move(part->text), stream->encoding());
    if (!page.ok() || part->last) co_return std::move(page);
  }
}

absl::Status Reflector::ApplyBatch(std::vector<std::string>& lines, types::Encoding encoding) {
  absl::Status status;
  for (std::string& line : lines) {
    ++counters_.events;
    absl::StatusOr<ReflectorSink::Event> event = sink_.ApplyEvent(std::move(line), encoding);
    status = event.ok() ? event->error : absl::DataLossError(event.status().message());
    if (!status.ok()) break;
    if (!event->resource_version.empty()) version_ = std::move(event->resource_version);
  }
  sink_.EndBatch();
  return status;
}

net::Awaitable<absl::Status> Reflector::WatchOnce(bool* useful) {
  WatchOptions watch;
  watch.label_selector = options_.label_selector;
  watch.field_selector = options_.field_selector;
  watch.resource_version = version_;
  watch.protobuf = options_.protobuf;
  watch.timeout = api_.options().watch_min * (1.0 + rng_.Unit());
  ++counters_.watches;
  if (std::exchange(watched_, true) && options_.on_rewatch) options_.on_rewatch();
  const net::CancelToken cancel = watch.cancel;
  const absl::Duration begun_at = api_.executor().Monotonic();
  const std::string doing = StrCat("watch ", options_.collection.path);
  absl::StatusOr<WatchStream> stream = co_await api_.Watch(options_.collection, std::move(watch));
  if (!stream.ok()) co_return WithContext(stream.status(), doing);
  StallGuard guard(api_.executor(), api_.options().watch_stall, cancel);
  forbidden_ = false;
  for (;;) {
    absl::StatusOr<std::vector<std::string>> lines = co_await stream->NextBatch();
    *useful = *useful || api_.executor().Monotonic() - begun_at >= kUsefulAfter;
    if (guard.stalled()) {
      ++counters_.stalls;
      co_return absl::UnavailableError(
          StrCat(doing, ": nothing heard for ", absl::FormatDuration(api_.options().watch_stall)));
    }
    if (!lines.ok()) co_return WithContext(lines.status(), doing);
    if (lines->empty()) co_return absl::OkStatus();
    guard.Heard();
    const absl::Status applied = ApplyBatch(*lines, stream->encoding());
    if (!applied.ok()) co_return WithContext(applied, doing);
    *useful = true;
  }
}

}  // namespace bth::client
