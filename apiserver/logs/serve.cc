#include "apiserver/logs/serve.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "apiserver/logs/log_query.h"
#include "apiserver/logs/log_source.h"
#include "apiserver/rest/read.h"
#include "base/status.h"
#include "base/strings.h"
#include "net/text_response.h"

namespace bth::apiserver {
namespace {

// How soon a follower hears of what happened to the container.
constexpr absl::Duration kLogPause = absl::Milliseconds(250);
// Of one piece that is sent.
constexpr size_t kLogPieceBytes = size_t{64} << 10;

using LogPiece = absl::StatusOr<std::optional<std::string>>;

// Reads one run of a container from where the reader stands.
class LogReader final {
 public:
  LogReader(std::shared_ptr<Core> core, const ApiRequest& request, LogQuery query, LoggedRunKey run)
      : core_(std::move(core)),
        type_(request.type),
        key_(request.key()),
        query_(std::move(query)),
        run_(std::move(run)),
        bytes_left_(query_.limit_bytes.value_or(std::numeric_limits<int64_t>::max())) {}

  // Looks at the pod and at the source again, unless nothing can have changed.
  absl::Status Refresh() {
    const ObjectPtr pod = core_->CollectionOf(*type_).Get(key_);
    if (pod == nullptr || (!uid_.empty() && pod->uid != uid_)) {
      is_over_ = true;
      return absl::OkStatus();
    }
    const absl::Time now = core_->Now();
    if (pod->revision == revision_ && now < read_.next) return absl::OkStatus();
    uid_ = pod->uid;
    revision_ = pod->revision;
    const Json object = ParseStored(*pod);
    const RunPlace place = PlaceOf(object, run_);
    is_over_ = place != RunPlace::kCurrent;
    if (place == RunPlace::kGone) return absl::OkStatus();
    const LogOptions options = {run_.container, place == RunPlace::kPrevious, now};
    BTH_ASSIGN_OR_RETURN(read_, core_->log_source(object, options));
    return absl::OkStatus();
  }

  // Leaves out what is too old, and all but the last lines.
  void SkipOld() {
    const auto is_new = [this](const LoggedLine& line) {
      return !query_.since || line.time >= *query_.since;
    };
    const auto first = std::find_if(read_.lines.begin(), read_.lines.end(), is_new);
    sent_ = static_cast<size_t>(first - read_.lines.begin());
    const size_t count = read_.lines.size() - sent_;
    if (query_.tail_lines && static_cast<size_t>(*query_.tail_lines) < count) {
      sent_ = read_.lines.size() - static_cast<size_t>(*query_.tail_lines);
    }
  }

  // What was not sent yet, up to `bytes_max`. Empty: nothing.
  std::string Take(size_t bytes_max) {
    std::string out;
    for (; sent_ < read_.lines.size() && out.size() < bytes_max; ++sent_) {
      const LoggedLine& line = read_.lines[sent_];
      if (query_.timestamps) {
        StrAppend(&out, absl::FormatTime("%Y-%m-%dT%H:%M:%E9SZ ", line.time, absl::UTCTimeZone()));
      }
      StrAppend(&out, line.text, "\n");
    }
    if (static_cast<int64_t>(out.size()) >= bytes_left_) {
      out.resize(static_cast<size_t>(bytes_left_));
      is_over_ = true;
      sent_ = read_.lines.size();
    }
    bytes_left_ -= static_cast<int64_t>(out.size());
    return out;
  }

  bool is_over() const { return is_over_; }
  absl::Duration pause() const {
    return std::clamp(read_.next - core_->Now(), absl::Milliseconds(1), kLogPause);
  }
  net::Executor& executor() const { return core_->executor; }

 private:
  const std::shared_ptr<Core> core_;
  const ResourceTypePtr type_;
  const ObjectKey key_;
  const LogQuery query_;
  const LoggedRunKey run_;
  int64_t bytes_left_;
  std::string uid_;
  int64_t revision_ = 0;
  LoggedLines read_;
  size_t sent_ = 0;
  bool is_over_ = false;  // Nothing comes after what was read.
};

class LogStream final : public net::ByteStream {
 public:
  explicit LogStream(LogReader reader) : reader_(std::move(reader)) {}

  net::Awaitable<LogPiece> Next() override {
    for (;;) {
      std::string piece = reader_.Take(kLogPieceBytes);
      if (!piece.empty()) co_return LogPiece(std::move(piece));
      if (reader_.is_over()) co_return LogPiece(std::nullopt);
      co_await net::Sleep(reader_.executor(), reader_.pause());
      absl::Status status = reader_.Refresh();
      if (!status.ok()) co_return status;
    }
  }

 private:
  LogReader reader_;
};

}  // namespace

absl::StatusOr<net::Response> ServePodLog(const std::shared_ptr<Core>& core,
                                          const ApiRequest& request) {
  BTH_ASSIGN_OR_RETURN(LogQuery query, ReadLogQuery(request, core->Now()));
  BTH_ASSIGN_OR_RETURN(const ObjectPtr stored, Require(*core, request));
  const Json pod = ParseStored(*stored);
  BTH_ASSIGN_OR_RETURN(const std::string container, ChooseContainer(pod, query));
  if (pod.At({"spec", "nodeName"}).AsString().empty()) return net::TextResponse(204, "");
  BTH_ASSIGN_OR_RETURN(LoggedRunKey run, ChooseRun(pod, container, query.previous));
  const bool follows = query.follow;
  LogReader reader(core, request, std::move(query), std::move(run));
  BTH_RETURN_IF_ERROR(reader.Refresh());
  reader.SkipOld();
  net::Response response = net::TextResponse(200, "");
  response.headers.Set("Content-Type", "text/plain");
  if (follows) {
    response.stream = std::make_unique<LogStream>(std::move(reader));
  } else {
    response.body = reader.Take(std::numeric_limits<size_t>::max());
  }
  return response;
}

}  // namespace bth::apiserver
