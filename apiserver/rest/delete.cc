#include <algorithm>
#include <limits>
#include <utility>

#include "api/types/time.h"
#include "apiserver/rest/metadata.h"
#include "apiserver/rest/output.h"
#include "apiserver/rest/propagation.h"
#include "apiserver/rest/read.h"
#include "apiserver/rest/write.h"
#include "apiserver/rest/write_context.h"
#include "base/status.h"
#include "base/strings.h"

namespace bth::apiserver {
namespace {

// Deletions of one request before others get their turn; each takes some 50 µs.
constexpr size_t kDeletionsPerTurn = 64;
constexpr int kDeleteAttempts = 5;
// What Go clients can hold in a time.Duration, some 292 years; the deletionTimestamp that it leads
// to has a year of four digits, without which nobody reads it.
constexpr int64_t kGraceSecondsMax = std::numeric_limits<int64_t>::max() / 1'000'000'000;

bool IsPod(const ResourceType& type) {
  return type.collection == "pods";
}

// Only pods that a kubelet may be running need time to end.
int64_t GraceSeconds(const ResourceType& type, const Json& object, const DeleteOptions& options) {
  if (!IsPod(type)) return 0;
  if (object["spec"]["nodeName"].AsString().empty() || HasEnded(object)) return 0;
  const int64_t asked =
      options.grace_s.value_or(object["spec"]["terminationGracePeriodSeconds"].AsInt(30));
  // As in kube-apiserver.
  if (asked < 0) return 1;
  return std::min(asked, kGraceSecondsMax);
}

absl::Status CheckPreconditions(const Subject& subject, const StoredObject& object,
                                const DeleteOptions& options) {
  // The wording and the kind in place of the plural are the real server's.
  const Subject by_kind{subject.group, subject.kind, subject.kind, subject.name};
  if (!options.uid.empty() && options.uid != object.uid) {
    return Conflict(by_kind, StrCat("the UID in the precondition (", options.uid,
                                    ") does not match the UID in record (", object.uid,
                                    "). The object might have been deleted and then recreated"));
  }
  if (!options.revision.empty() && options.revision != StrCat(object.revision)) {
    return Conflict(by_kind, StrCat("the ResourceVersion in the precondition (", options.revision,
                                    ") does not match the ResourceVersion in record (",
                                    object.revision, "). The object might have been modified"));
  }
  return absl::OkStatus();
}

// Marks as being deleted, or shortens the time left. False when nothing changes.
bool Mark(const Core& core, const ResourceType& type, int64_t grace_s, Json& object) {
  Json& meta = object["metadata"];
  if (IsDeleting(object)) {
    const int64_t left = std::as_const(meta)["deletionGracePeriodSeconds"].AsInt(0);
    if (grace_s >= left) return false;
  } else if (type.has_generation) {
    meta.Set("generation", std::as_const(meta)["generation"].AsInt() + 1);
  }
  meta.Set("deletionTimestamp", types::FormatTimestamp(core.Now() + absl::Seconds(grace_s)));
  if (type.collection == "namespaces") {
    object["status"].Set("phase", "Terminating");
  } else {
    meta.Set("deletionGracePeriodSeconds", grace_s);
  }
  return true;
}

net::Awaitable<void> LetOthersRun(net::Executor& executor) {
  net::Promised<bool> turn(executor);
  executor.Post([turn] { turn.Set(true); });
  co_await turn.Wait();
}

}  // namespace

bool IsFinished(const ResourceType& type, const Json& object) {
  if (!IsDeleting(object) || HasFinalizers(object)) return false;
  // Namespaces wait for their objects, pods for their kubelet.
  if (type.collection == "namespaces" && !object["spec"]["finalizers"].empty()) return false;
  return object["metadata"]["deletionGracePeriodSeconds"].AsInt(0) == 0;
}

absl::StatusOr<DeleteOptions> ReadDeleteOptions(const ApiRequest& request) {
  DeleteOptions options;
  std::optional<bool> orphans;  // The older form of the policy.
  if (!request.body.empty()) {
    BTH_ASSIGN_OR_RETURN(options.raw, ReadJsonBody(request));
    const Json& raw = options.raw;
    const std::string_view kind = raw["kind"].AsString();
    if (!kind.empty() && kind != "DeleteOptions") {
      return BadRequest(StrCat("a deletion takes DeleteOptions, not ", kind));
    }
    if (raw["gracePeriodSeconds"].is_int()) options.grace_s = raw["gracePeriodSeconds"].AsInt();
    options.propagation = raw["propagationPolicy"].AsString();
    if (raw["orphanDependents"].is_bool()) {
      orphans = raw["orphanDependents"].AsBool();
    }
    options.uid = raw["preconditions"]["uid"].AsString();
    options.revision = raw["preconditions"]["resourceVersion"].AsString();
  }
  BTH_ASSIGN_OR_RETURN(const std::optional<int64_t> grace,
                       QueryInt(request.target, "gracePeriodSeconds"));
  if (grace.has_value()) options.grace_s = grace;
  if (request.target.HasQuery("propagationPolicy")) {
    options.propagation = request.target.Query("propagationPolicy");
  }
  if (request.target.HasQuery("orphanDependents")) {
    BTH_ASSIGN_OR_RETURN(orphans, QueryBool(request.target, "orphanDependents"));
  }
  const std::string& policy = options.propagation;
  if (!policy.empty() && policy != "Background" && policy != "Foreground" && policy != "Orphan") {
    return Invalid({"meta.k8s.io", "", "DeleteOptions", ""},
                   {FieldNotSupported("propagationPolicy", policy,
                                      "\"Background\", \"Foreground\", \"Orphan\"")});
  }
  if (orphans.has_value() && !policy.empty()) {
    return Invalid({"meta.k8s.io", "", "DeleteOptions", ""},
                   {FieldInvalid("propagationPolicy", policy,
                                 "orphanDependents and propagationPolicy cannot both be set")});
  }
  if (orphans.has_value()) options.propagation = *orphans ? "Orphan" : "Background";
  return options;
}

absl::StatusOr<Written> DeleteNow(Core& core, const ResourceType& type, const ObjectPtr& stored,
                                  const DeleteOptions& options, bool dry_run) {
  Collection& collection = core.CollectionOf(type);
  BTH_RETURN_IF_ERROR(CheckPreconditions(type.Named(stored->key.name), *stored, options));
  Written written;
  written.object = ParseStored(*stored);
  const int64_t grace_s = GraceSeconds(type, written.object, options);
  const bool tells_collector = SetPropagation(type, options, written.object);
  const bool waits = grace_s > 0 || HasFinalizers(written.object) ||
                     (type.collection == "namespaces" &&
                      !std::as_const(written.object)["spec"]["finalizers"].empty());
  if (!waits) {
    written.deleted = true;
    written.as_status = !IsPod(type);
    // Watchers of pods see in the last state that it was a deletion and no loss.
    if (IsPod(type)) Mark(core, type, 0, written.object);
    if (dry_run) return written;
    written.stored = core.store->Remove(collection, &written.object);
    return written;
  }
  const bool marked_now = Mark(core, type, grace_s, written.object);
  if ((!marked_now && !tells_collector) || dry_run) return written;
  written.stored = core.store->Put(collection, &written.object);
  return written;
}

net::Awaitable<WriteResult> Delete(std::shared_ptr<Core> core, const ApiRequest& request,
                                   DeleteOptions options) {
  for (int attempt = 1;; ++attempt) {
    absl::StatusOr<ObjectPtr> stored = Require(*core, request);
    if (!stored.ok()) co_return stored.status();
    Json old = ParseStored(**stored);
    FromStorage(*request.type, old);
    WriteContext write = ContextOf(*core, request, Operation::kDelete);
    write.name = request.name;
    write.old = std::move(old);
    write.options = options.raw;
    if (core->stages.MayWait(write)) {
      absl::Status admitted = co_await core->stages.Run(write);
      BTH_CO_RETURN_IF_ERROR(admitted);
      absl::StatusOr<ObjectPtr> now = Require(*core, request);
      if (!now.ok()) co_return now.status();
      if (*now != *stored) {
        // Another write came while admission was asked; it was asked about what is gone.
        if (attempt < kDeleteAttempts) continue;
        co_return Conflict(request.subject(), "the object kept changing while it was deleted");
      }
    } else {
      BTH_CO_RETURN_IF_ERROR(core->stages.RunNow(write));
    }
    absl::StatusOr<Written> written =
        DeleteNow(*core, *request.type, *stored, options, request.dry_run);
    if (written.ok()) written->warnings = std::move(write.warnings);
    co_return written;
  }
}

net::Awaitable<absl::StatusOr<std::vector<ObjectPtr>>> DeleteCollection(std::shared_ptr<Core> core,
                                                                        const ApiRequest& request) {
  absl::StatusOr<DeleteOptions> options = ReadDeleteOptions(request);
  if (!options.ok()) co_return options.status();
  ListQuery query;
  absl::StatusOr<Selection> selection = SelectionOf(*core, request);
  if (!selection.ok()) co_return selection.status();
  query.selection = *std::move(selection);
  absl::StatusOr<Page> page =
      core->CollectionOf(*request.type).List(query, core->store->revision());
  if (!page.ok()) co_return page.status();
  ApiRequest one = request;
  one.verb = Verb::kDelete;
  size_t done = 0;
  for (const ObjectPtr& object : page->objects) {
    if (++done % kDeletionsPerTurn == 0) co_await LetOthersRun(core->executor);
    one.ns = object->key.ns;
    one.name = object->key.name;
    DeleteOptions copy = *options;
    // What took the name of a listed object meanwhile is not meant.
    if (copy.uid.empty()) copy.uid = object->uid;
    WriteResult result = co_await Delete(core, one, std::move(copy));
    // Gone meanwhile is as good as deleted.
    const int code = result.ok() ? 200 : HttpCode(result.status());
    const bool gone =
        code == 404 || (code == 409 && options->uid.empty() && options->revision.empty());
    if (!result.ok() && !gone) co_return result.status();
  }
  co_return std::move(page->objects);
}

}  // namespace bth::apiserver
