#include "cli/session/cluster.h"

#include <optional>
#include <utility>

#include "base/status.h"
#include "base/strings.h"
#include "cli/session/go_errors.h"
#include "client/typed_client.h"

namespace bth::cli {
namespace {

using types::Json;

constexpr int kPageItems = 500;
// As much as one answer may have.
constexpr types::JsonLimits kAnswerLimits = {.bytes_max = size_t{256} << 20};

using AnswerText = absl::StatusOr<std::string>;

net::Awaitable<void> RunCall(client::ApiClient& api, client::ApiRequest request, Loop& loop,
                             std::optional<AnswerText>& answer) {
  answer.emplace(co_await api.Call(std::move(request)));
  loop.Wake();
}

client::ApiRequest Request(std::string verb, std::string method, std::string body = {}) {
  client::ApiRequest request;
  request.verb = std::move(verb);
  request.method = std::move(method);
  request.body = std::move(body);
  return request;
}

// Without a name the path is that of all objects.
absl::Status CheckNamed(const Target& target) {
  if (!target.name.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError("resource name may not be empty");
}

}  // namespace

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
  if (!text.ok()) return AsGoTells(text.status(), call);
  absl::StatusOr<Json> json = Json::Parse(*text, kAnswerLimits);
  if (!json.ok()) return Annotate(json.status(), StrCat(call.method, " ", call.path));
  return json;
}

absl::StatusOr<Json> Cluster::Get(const Target& target) {
  BTH_RETURN_IF_ERROR(CheckNamed(target));
  return Send(target, Request("get", "GET"));
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
    client::ApiRequest request = Request("list", "GET");
    if (!selectors.fields.empty()) request.query.emplace_back("fieldSelector", selectors.fields);
    if (!selectors.labels.empty()) request.query.emplace_back("labelSelector", selectors.labels);
    if (limit > 0) request.query.emplace_back("limit", StrCat(limit));
    if (!rest.empty()) request.query.emplace_back("continue", rest);
    BTH_ASSIGN_OR_RETURN(Json page, Send(target, std::move(request)));
    for (Json& item : page["items"].MutableItems()) list.items.push_back(std::move(item));
    rest = std::string(page.At({"metadata", "continue"}).AsString());
    if (list.meta.is_null()) list.meta = std::move(page["metadata"]);
  } while (!rest.empty());
  return list;
}

absl::StatusOr<Json> Cluster::Create(const Target& target, Json object) {
  object.Set("apiVersion", target.type.ApiVersion());
  object.Set("kind", target.type.kind);
  return Send(target, Request("create", "POST", object.Dump()));
}

absl::StatusOr<Json> Cluster::MergePatch(const Target& target, const Json& patch) {
  BTH_RETURN_IF_ERROR(CheckNamed(target));
  client::ApiRequest request = Request("patch", "PATCH", patch.Dump());
  request.content_type = "application/merge-patch+json";
  return Send(target, std::move(request));
}

absl::Status Cluster::Delete(const Target& target) {
  BTH_RETURN_IF_ERROR(CheckNamed(target));
  return Send(target, Request("delete", "DELETE")).status();
}

}  // namespace bth::cli
