#include "cli/session/cluster.h"

#include <optional>
#include <utility>

#include "absl/strings/cord.h"
#include "absl/strings/str_join.h"
#include "api/types/api_status.h"
#include "base/status.h"
#include "base/strings.h"
#include "cli/command/suggestions.h"
#include "cli/text/object.h"
#include "client/typed_client.h"

namespace bth::cli {
namespace {

using types::Json;

constexpr int kPageItems = 500;
constexpr char kNearNames[] = "bth.dev/near-names";
// A suggestion must not keep anybody waiting for an answer that is known already.
constexpr GlanceLimits kSuggestionLimits = {absl::Seconds(1), 1};
// As much as one answer may have.
constexpr types::JsonLimits kAnswerLimits = {.bytes_max = size_t{256} << 20};

using AnswerText = absl::StatusOr<std::string>;

net::Awaitable<void> RunCall(client::ApiClient& api, client::ApiRequest request, Loop& loop,
                             std::optional<AnswerText>& answer) {
  answer.emplace(co_await api.Call(std::move(request)));
  loop.Wake();
}

using OnChange = std::function<bool(Change)>;

// Reads one line of a watch; false: it was the last one that is wanted. `version` follows.
absl::StatusOr<bool> TakeLine(const std::string& line, const OnChange& on_change,
                              std::string* version) {
  BTH_ASSIGN_OR_RETURN(Json event, Json::Parse(line, kAnswerLimits));
  Json& object = event["object"];
  const std::string_view type = event["type"].AsString();
  if (type == "ERROR") {
    return types::StatusFromResponse(static_cast<int>(object["code"].AsInt(500)), object.Dump());
  }
  *version = object.At({"metadata", "resourceVersion"}).AsString();
  if (type == "BOOKMARK") return true;
  return on_change({std::string(type), std::move(object)});
}

net::Awaitable<absl::Status> ReadWatch(client::ApiClient& api, client::ApiPath path,
                                       client::WatchOptions options, const OnChange& on_change,
                                       std::string* version) {
  absl::StatusOr<client::WatchStream> stream =
      co_await api.Watch(std::move(path), std::move(options));
  if (!stream.ok()) co_return stream.status();
  for (;;) {
    absl::StatusOr<std::optional<std::string>> line = co_await stream->Next();
    if (!line.ok()) co_return line.status();
    if (!line->has_value()) co_return absl::OkStatus();
    const absl::StatusOr<bool> more = TakeLine(**line, on_change, version);
    if (!more.ok()) co_return more.status();
    if (!*more) co_return absl::OkStatus();
  }
}

net::Awaitable<void> RunWatch(net::Awaitable<absl::Status> watch, Loop& loop,
                              std::optional<absl::Status>& ended) {
  ended.emplace(co_await std::move(watch));
  loop.Wake();
}

client::ApiRequest Request(std::string verb, std::string method, std::string body = {}) {
  client::ApiRequest request;
  request.verb = std::move(verb);
  request.method = std::move(method);
  request.body = std::move(body);
  return request;
}

client::ApiRequest PageRequest(const Selectors& selectors, int limit, const std::string& rest) {
  client::ApiRequest request = Request("list", "GET");
  if (!selectors.fields.empty()) request.query.emplace_back("fieldSelector", selectors.fields);
  if (!selectors.labels.empty()) request.query.emplace_back("labelSelector", selectors.labels);
  if (limit > 0) request.query.emplace_back("limit", StrCat(limit));
  if (!rest.empty()) request.query.emplace_back("continue", rest);
  return request;
}

// Without a name the path is that of all objects.
absl::Status CheckNamed(const Target& target) {
  if (!target.name.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError("resource name may not be empty");
}

}  // namespace

std::vector<std::string> NearNamesOf(const absl::Status& status) {
  const absl::optional<absl::Cord> names = status.GetPayload(kNearNames);
  if (!names.has_value()) return {};
  return SplitText(std::string(*names), '\n');
}

absl::Status Cluster::InWords(const absl::Status& status, CallText call) const {
  call.hint = unreachable_hint_;
  return AsGoTells(status, call);
}

AnswerText Cluster::Wait(client::ApiRequest request) {
  std::optional<AnswerText> answer;
  net::Spawn(loop_->executor(), RunCall(*api_, std::move(request), *loop_, answer));
  loop_->Run();
  // Nothing else ends the loop, but for an executor that gave up.
  if (!answer.has_value()) return absl::InternalError("the event loop ended before the request");
  return *std::move(answer);
}

absl::StatusOr<Json> Cluster::Send(const Target& target, client::ApiRequest request) {
  BTH_RETURN_IF_ERROR(CheckTarget(target.ns, target.name));
  request.path = client::PathOf(target.type, target.ns, target.name);
  const CallText call{request.method,         server_,
                      request.path.path,      QueryText(request.query),
                      target.type.FullName(), target.name};
  absl::StatusOr<std::string> text = Wait(std::move(request));
  if (!text.ok()) return InWords(text.status(), call);
  absl::StatusOr<Json> json = Json::Parse(*text, kAnswerLimits);
  if (!json.ok()) return Annotate(json.status(), StrCat(call.method, " ", call.path));
  return json;
}

absl::StatusOr<Json> Cluster::SendNamed(const Target& target, client::ApiRequest request) {
  BTH_RETURN_IF_ERROR(CheckNamed(target));
  absl::StatusOr<Json> answer = Send(target, std::move(request));
  return answer.ok() ? std::move(answer) : WithNearNames(target, answer.status());
}

absl::StatusOr<Json> Cluster::Get(const Target& target) {
  return SendNamed(target, Request("get", "GET"));
}

absl::StatusOr<ObjectList> Cluster::List(const Target& target, const Selectors& selectors) {
  absl::StatusOr<ObjectList> list = ListPages(target, selectors, kPageItems);
  // The pages that are left are too old: once more, in one piece.
  if (absl::IsOutOfRange(list.status())) return ListPages(target, selectors, 0);
  return list;
}

absl::StatusOr<ObjectList> Cluster::ListPages(const Target& target, const Selectors& selectors,
                                              int limit) {
  ObjectList list;
  std::string rest;
  do {
    BTH_ASSIGN_OR_RETURN(Json page, Send(target, PageRequest(selectors, limit, rest)));
    for (Json& item : page["items"].MutableItems()) list.items.push_back(std::move(item));
    rest = std::string(page.At({"metadata", "continue"}).AsString());
    if (list.meta.is_null()) list.meta = std::move(page["metadata"]);
  } while (!rest.empty());
  return list;
}

std::vector<Json> Cluster::Glance(const Target& target, const Selectors& selectors,
                                  const GlanceLimits& limits) {
  const absl::Duration end = monotonic() + limits.time;
  std::vector<Json> items;
  std::string rest;
  do {
    client::ApiRequest request = PageRequest(selectors, kPageItems, rest);
    request.timeout = end - monotonic();
    if (request.timeout <= absl::ZeroDuration()) break;
    absl::StatusOr<Json> page = Send(target, std::move(request));
    if (!page.ok()) break;
    for (Json& item : (*page)["items"].MutableItems()) items.push_back(std::move(item));
    rest = std::string(page->At({"metadata", "continue"}).AsString());
  } while (!rest.empty() && items.size() < limits.most);
  return items;
}

absl::Status Cluster::WithNearNames(const Target& target, absl::Status status) {
  if (!suggests_names_ || !absl::IsNotFound(status) || target.name.empty()) return status;
  const Target all{target.type, target.ns, ""};
  std::vector<std::string> names;
  for (const Json& object : Glance(all, {}, kSuggestionLimits)) names.emplace_back(NameIn(object));
  const std::vector<std::string> near = NearWords(target.name, names);
  if (!near.empty()) status.SetPayload(kNearNames, absl::Cord(absl::StrJoin(near, "\n")));
  return status;
}

absl::StatusOr<Json> Cluster::Create(const Target& target, Json object) {
  object.Set("apiVersion", target.type.ApiVersion());
  object.Set("kind", target.type.kind);
  return Send(target, Request("create", "POST", object.Dump()));
}

absl::StatusOr<Json> Cluster::TryCreate(const Target& target, Json object) {
  object.Set("apiVersion", target.type.ApiVersion());
  object.Set("kind", target.type.kind);
  client::ApiRequest request = Request("create", "POST", object.Dump());
  request.query.emplace_back("dryRun", "All");
  return Send(target, std::move(request));
}

absl::StatusOr<Json> Cluster::Read(const std::string& path) {
  client::ApiRequest request = Request("get", "GET");
  request.path = {"", path};
  const absl::StatusOr<std::string> text = Wait(std::move(request));
  if (!text.ok()) return InWords(text.status(), {"GET", server_, path, "", "", ""});
  absl::StatusOr<Json> json = Json::Parse(*text, kAnswerLimits);
  if (!json.ok()) return Annotate(json.status(), StrCat("GET ", path));
  return json;
}

absl::StatusOr<Json> Cluster::CallRaw(const RawCall& call) {
  client::ApiRequest request =
      Request(call.method == "GET" ? "get" : "create", call.method, call.body);
  request.path = {"", call.path};
  request.query = call.query;
  request.headers = call.headers;
  request.timeout = call.timeout;
  BTH_ASSIGN_OR_RETURN(const std::string text, Wait(std::move(request)));
  return Json::Parse(text, kAnswerLimits);
}

absl::StatusOr<Json> Cluster::MergePatch(const Target& target, const Json& patch) {
  client::ApiRequest request = Request("patch", "PATCH", patch.Dump());
  request.content_type = "application/merge-patch+json";
  return SendNamed(target, std::move(request));
}

absl::Status Cluster::Watch(const Target& target, WatchRequest* watch, const OnChange& on_change) {
  BTH_RETURN_IF_ERROR(CheckTarget(target.ns, target.name));
  const client::ApiPath path = client::PathOf(target.type, target.ns);
  client::WatchOptions options;
  options.label_selector = watch->selectors.labels;
  options.field_selector = watch->selectors.fields;
  options.resource_version = watch->version;
  net::Executor& executor = loop_->executor();
  const net::CancelToken late = options.cancel;
  const net::Executor::TimerId timer = executor.RunAfter(watch->timeout, [late] { late.Cancel(); });
  std::optional<absl::Status> ended;
  net::Spawn(executor,
             RunWatch(ReadWatch(*api_, path, std::move(options), on_change, &watch->version),
                      *loop_, ended));
  loop_->Run();
  executor.CancelTimer(timer);
  if (!ended.has_value()) {  // The loop gave up; nothing may outlive this call.
    late.Cancel();
    loop_->Run();
  }
  if (late.cancelled()) return absl::DeadlineExceededError("timed out waiting for the condition");
  const CallText call{"GET", server_, path.path, "?watch=true", target.type.FullName(), ""};
  return ended->ok() ? *ended : InWords(*ended, call);
}

std::unique_ptr<TextReader> Cluster::ReadText(const TextRequest& text,
                                              std::function<void(std::string_view)> on_piece) {
  const Target& target = text.target;
  client::ApiRequest request = Request("get", "GET");
  request.path = client::PathOf(target.type, target.ns, target.name, text.subresource);
  request.query = text.query;
  const CallText call{
      "GET",      server_, request.path.path, QueryText(request.query), target.type.FullName(),
      target.name};
  TextReader::Ears ears;
  ears.on_piece = std::move(on_piece);
  ears.told = [this, call](const absl::Status& status) { return InWords(status, call); };
  ears.on_end = [this] { Interrupt(); };
  return std::make_unique<TextReader>(*api_, std::move(request), std::move(ears));
}

void Cluster::Pause(absl::Duration pause) {
  is_pausing_ = true;
  net::Executor& executor = loop_->executor();
  const net::Executor::TimerId timer = executor.RunAfter(pause, [this] { Interrupt(); });
  loop_->Run();
  executor.CancelTimer(timer);
  is_pausing_ = false;
}

void Cluster::Interrupt() {
  // Calls that wait for an answer go on to do so.
  if (is_pausing_) loop_->Wake();
}

absl::Status Cluster::Told(const absl::Status& status, std::string_view method,
                           const Target& target) const {
  const std::string path = target.type.Path(target.ns, target.name);
  return InWords(status,
                 {std::string(method), server_, path, "", target.type.FullName(), target.name});
}

absl::Status Cluster::Delete(const Target& target) {
  return SendNamed(target, Request("delete", "DELETE")).status();
}

}  // namespace bth::cli
