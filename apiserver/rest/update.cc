#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "api/types/time.h"
#include "apiserver/patch/apply.h"
#include "apiserver/patch/field_managers.h"
#include "apiserver/rest/coerce_body.h"
#include "apiserver/rest/metadata.h"
#include "apiserver/rest/output.h"
#include "apiserver/rest/read.h"
#include "apiserver/rest/write.h"
#include "apiserver/rest/write_context.h"
#include "base/status.h"

namespace bth::apiserver {
namespace {

constexpr int kAttempts = 5;

// The name under which the client writes, if it gives none the program of its User-Agent.
Writer WriterOf(const Core& core, const ApiRequest& request) {
  std::string_view name = request.target.Query("fieldManager");
  if (name.empty()) {
    name = request.headers.Get("user-agent");
    name = name.substr(0, std::min(name.find('/'), kManagerBytesMax));
  }
  if (name.empty()) name = "unknown";
  return {std::string(name), request.subresource, types::FormatTimestamp(core.Now())};
}

Written Keep(Core& core, const ApiRequest& request, WriteContext write) {
  Written written;
  written.warnings = std::move(write.warnings);
  written.object = std::move(write.object);
  ToStorage(*request.type, written.object);
  Json before = *std::move(write.old);
  ToStorage(*request.type, before);
  Collection& collection = core.CollectionOf(*request.type);
  const bool finished = IsFinished(*request.type, written.object);
  // A write that changes nothing is no event; controllers rely on that to come to rest.
  if (written.object == before && !finished) return written;
  written.deleted = finished;
  if (request.dry_run) return written;
  written.stored = finished ? core.store->Remove(collection, &written.object)
                            : core.store->Put(collection, &written.object);
  return written;
}

}  // namespace

net::Awaitable<WriteResult> Update(std::shared_ptr<Core> core, const ApiRequest& request,
                                   Change change) {
  for (int attempt = 1;; ++attempt) {
    absl::StatusOr<ObjectPtr> stored = Require(*core, request);
    if (!stored.ok()) co_return stored.status();
    Json current = ParseStored(**stored);
    FromStorage(*request.type, current);
    absl::StatusOr<Json> next = change(current);
    if (!next.ok()) co_return next.status();
    BTH_CO_RETURN_IF_ERROR(MatchRequest(request, *next));
    std::vector<std::string> warnings;
    BTH_CO_RETURN_IF_ERROR(CoerceBody(request, *next, warnings));
    BTH_CO_RETURN_IF_ERROR(PrepareUpdate(request, current, *next));
    if (!IsApply(request)) {
      BTH_CO_RETURN_IF_ERROR(TrackUpdate(*request.type, WriterOf(*core, request), current, *next));
    }
    WriteContext write = ContextOf(*core, request, Operation::kUpdate);
    write.name = request.name;
    write.object = *std::move(next);
    write.old = std::move(current);
    write.warnings = std::move(warnings);
    if (core->stages.MayWait(write)) {
      absl::Status admitted = co_await core->stages.Run(write);
      BTH_CO_RETURN_IF_ERROR(admitted);
      ObjectPtr now = core->CollectionOf(*request.type).Get(request.key());
      if (now != *stored) {
        // Another write came while admission was asked; start over on top of it.
        if (attempt < kAttempts) continue;
        co_return Conflict(request.subject(),
                           "the object has been modified; please apply your changes to the latest "
                           "version and try again");
      }
    } else {
      BTH_CO_RETURN_IF_ERROR(core->stages.RunNow(write));
    }
    BTH_CO_RETURN_IF_ERROR(CheckShape(write.object));
    co_return Keep(*core, request, std::move(write));
  }
}

net::Awaitable<WriteResult> Put(std::shared_ptr<Core> core, const ApiRequest& request) {
  absl::StatusOr<Json> body = ReadJsonBody(request);
  if (!body.ok()) co_return body.status();
  const Json& meta = std::as_const(*body)["metadata"];
  if (const std::string name(meta["name"].AsString()); !name.empty() && name != request.name) {
    co_return WrongName(request, name);
  }
  const std::string revision(meta["resourceVersion"].AsString());
  if (request.type->custom && (revision.empty() || revision == "0")) {
    co_return Invalid(request.subject(), {FieldInvalid("metadata.resourceVersion", 0,
                                                       "must be specified for an update")});
  }
  Change change = [&body](const Json&) -> absl::StatusOr<Json> { return *body; };
  WriteResult result = co_await Update(core, request, std::move(change));
  co_return result;
}

}  // namespace bth::apiserver
