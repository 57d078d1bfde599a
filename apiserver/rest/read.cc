#include "apiserver/rest/read.h"

#include <limits>
#include <string>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "apiserver/rest/output.h"
#include "apiserver/rest/watch_stream.h"
#include "base/status.h"
#include "base/strings.h"

namespace bth::apiserver {
namespace {

// Where a paged list goes on. Clients treat the text as opaque.
struct ContinueToken {
  int64_t revision = 0;
  ObjectKey after;

  std::string Encode() const {
    return absl::WebSafeBase64Escape(StrCat(revision, "/", after.ns, "/", after.name));
  }
  static absl::StatusOr<ContinueToken> Decode(std::string_view text) {
    std::string plain;
    ContinueToken token;
    if (absl::WebSafeBase64Unescape(ToAbsl(text), &plain)) {
      const std::vector<std::string> parts = absl::StrSplit(plain, absl::MaxSplits('/', 2));
      if (parts.size() == 3 && absl::SimpleAtoi(parts[0], &token.revision)) {
        token.after = {parts[1], parts[2]};
        return token;
      }
    }
    return BadRequest("continue key is not valid");
  }
};

absl::StatusOr<std::optional<int64_t>> Revision(const ApiRequest& request) {
  const std::string_view text = request.target.Query("resourceVersion");
  if (text.empty()) return std::optional<int64_t>();
  int64_t revision = 0;
  if (!SimpleAtoi(text, &revision) || revision < 0) {
    return BadRequest(
        StrCat("resourceVersion: Invalid value: \"", text, "\": must be a whole number"));
  }
  return std::optional<int64_t>(revision);
}

absl::Status OptionsInvalid(std::vector<Cause> causes) {
  return Invalid({"meta.k8s.io", "", "ListOptions", ""}, causes);
}

absl::Status CheckMatch(const ApiRequest& request, const std::optional<int64_t>& revision) {
  const std::string_view match = request.target.Query("resourceVersionMatch");
  if (match.empty()) return absl::OkStatus();
  const std::string field = "resourceVersionMatch";
  if (!request.target.Query("continue").empty()) {
    return OptionsInvalid(
        {FieldForbidden(field, "resourceVersionMatch is forbidden when continue is provided")});
  }
  if (!revision.has_value()) {
    return OptionsInvalid({FieldForbidden(
        field, "resourceVersionMatch is forbidden unless resourceVersion is provided")});
  }
  if (match != "Exact" && match != "NotOlderThan") {
    return OptionsInvalid({FieldNotSupported(field, match, "\"Exact\", \"NotOlderThan\"")});
  }
  if (match == "Exact" && *revision == 0) {
    return OptionsInvalid({FieldForbidden(
        field, "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"")});
  }
  return absl::OkStatus();
}

// Fills in the revision and the place to go on from.
absl::Status Position(Core& core, const ApiRequest& request, ListQuery& query) {
  BTH_ASSIGN_OR_RETURN(const std::optional<int64_t> revision, Revision(request));
  BTH_RETURN_IF_ERROR(CheckMatch(request, revision));
  BTH_ASSIGN_OR_RETURN(const std::optional<int64_t> limit, QueryInt(request.target, "limit"));
  if (limit.has_value() && *limit > 0) query.limit = static_cast<size_t>(*limit);
  const int64_t now = core.store->revision();
  if (const std::string_view token = request.target.Query("continue"); !token.empty()) {
    if (revision.value_or(0) > 0) {
      return BadRequest("specifying resource version is not allowed when using continue");
    }
    BTH_ASSIGN_OR_RETURN(const ContinueToken at, ContinueToken::Decode(token));
    if (at.revision > now || at.revision <= 0) return BadRequest("continue key is not valid");
    query.at = at.revision;
    query.after = at.after;
    return absl::OkStatus();
  }
  if (!revision.has_value()) return absl::OkStatus();
  if (*revision == 0) {
    query.limit = 0;  // From its cache, the real server gives everything at once.
    return absl::OkStatus();
  }
  if (*revision > now) return RevisionTooLarge(*revision, now);
  const std::string_view match = request.target.Query("resourceVersionMatch");
  // Before resourceVersionMatch existed, a revision together with a limit meant just that one.
  if (match == "Exact" || (match.empty() && query.limit > 0)) query.at = revision;
  return absl::OkStatus();
}

absl::Status TooOld(const ApiRequest& request, int64_t asked) {
  if (!request.target.Query("continue").empty()) {
    return Expired(
        "The provided continue parameter is too old to display a consistent list result. You can "
        "start a new list without the continue parameter.");
  }
  return Expired(StrCat("The resourceVersion for the provided list is too old: ", asked));
}

}  // namespace

absl::StatusOr<Selection> SelectionOf(Core& core, const ApiRequest& request) {
  Selection selection;
  selection.ns = request.type->namespaced ? request.ns : "";
  absl::StatusOr<types::LabelSelector> labels =
      types::ParseLabelSelector(request.target.Query("labelSelector"));
  if (!labels.ok()) return BadRequest(ToStd(labels.status().message()));
  absl::StatusOr<FieldFilter> fields = FieldFilter::Parse(
      request.target.Query("fieldSelector"), core.CollectionOf(*request.type).fields());
  if (!fields.ok()) return BadRequest(ToStd(fields.status().message()));
  selection.labels = *std::move(labels);
  selection.fields = *std::move(fields);
  return selection;
}

absl::StatusOr<ObjectPtr> Require(Core& core, const ApiRequest& request) {
  ObjectPtr object = core.CollectionOf(*request.type).Get(request.key());
  if (object == nullptr) return NotFound(request.subject());
  return object;
}

absl::StatusOr<net::Response> Get(Core& core, const ApiRequest& request) {
  BTH_ASSIGN_OR_RETURN(const OutputStyle style, StyleOf(request, core.Now()));
  BTH_ASSIGN_OR_RETURN(const std::optional<int64_t> revision, Revision(request));
  if (revision.value_or(0) > core.store->revision()) {
    return RevisionTooLarge(*revision, core.store->revision());
  }
  BTH_ASSIGN_OR_RETURN(const ObjectPtr object, Require(core, request));
  return JsonResponse(200, RenderObject(*request.type, *object, style));
}

absl::StatusOr<net::Response> List(Core& core, const ApiRequest& request) {
  ListQuery query;
  BTH_ASSIGN_OR_RETURN(const OutputStyle style, StyleOf(request, core.Now()));
  BTH_ASSIGN_OR_RETURN(query.selection, SelectionOf(core, request));
  BTH_RETURN_IF_ERROR(Position(core, request, query));
  absl::StatusOr<Page> page = core.CollectionOf(*request.type).List(query, core.store->revision());
  if (!page.ok()) return TooOld(request, query.at.value_or(0));
  std::string token;
  if (page->more) token = ContinueToken{page->revision, page->objects.back()->key}.Encode();
  return JsonResponse(200, RenderList(*request.type, *page, token, style));
}

absl::StatusOr<net::Response> Watch(const std::shared_ptr<Core>& core, const ApiRequest& request) {
  BTH_ASSIGN_OR_RETURN(const OutputStyle style, StyleOf(request, core->Now()));
  BTH_ASSIGN_OR_RETURN(Selection selection, SelectionOf(*core, request));
  BTH_ASSIGN_OR_RETURN(const std::optional<int64_t> revision, Revision(request));
  BTH_ASSIGN_OR_RETURN(const bool bookmarks, QueryBool(request.target, "allowWatchBookmarks"));
  BTH_ASSIGN_OR_RETURN(const bool initial, QueryBool(request.target, "sendInitialEvents"));
  BTH_ASSIGN_OR_RETURN(const std::optional<int64_t> timeout,
                       QueryInt(request.target, "timeoutSeconds"));
  const std::string_view match = request.target.Query("resourceVersionMatch");
  if (request.target.HasQuery("sendInitialEvents") ? match != "NotOlderThan" : !match.empty()) {
    return OptionsInvalid({FieldForbidden("resourceVersionMatch",
                                          "watch requires resourceVersionMatch=NotOlderThan with "
                                          "sendInitialEvents, and none without")});
  }
  // A watch of one object is a watch of the collection with its name.
  if (!request.name.empty()) {
    BTH_ASSIGN_OR_RETURN(selection.fields, FieldFilter::Parse("metadata.name=" + request.name, {}));
  }
  const int64_t now = core->store->revision();
  if (revision.value_or(0) > now) return RevisionTooLarge(*revision, now);
  std::optional<int64_t> since;
  const bool no_state = request.target.HasQuery("sendInitialEvents") && !initial;
  if (!initial && revision.value_or(0) > 0) since = revision;
  if (no_state && !since.has_value()) since = now;
  absl::StatusOr<std::shared_ptr<Watcher>> watcher =
      core->store->Watch(core->CollectionOf(*request.type), std::move(selection), since);
  net::Response response = JsonResponse(200, "");
  if (absl::IsResourceExhausted(watcher.status())) {
    return TooManyRequests("too many watches; close some and try again", 1);
  }
  WatchTiming timing;
  timing.bookmarks = bookmarks;
  timing.timeout = timeout.value_or(0) > 0 ? absl::Seconds(*timeout) : core->watch_timeout;
  if (!watcher.ok()) {
    // The real server answers 200 and tells of the expiry in the stream.
    response.stream = MakeErrorStream(
        Expired(StrCat("too old resource version: ", revision.value_or(0), " (", now, ")")));
    return response;
  }
  if (initial) (*watcher)->AddInitial({EventType::kBookmark, nullptr, now, true});
  response.stream =
      MakeWatchStream(core, *std::move(watcher), WatchRenderer(request.type, style), timing);
  return response;
}

}  // namespace bth::apiserver
