#include "apiserver/rest/handler.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "apiserver/discovery/discovery.h"
#include "apiserver/logs/serve.h"
#include "apiserver/rest/authenticate.h"
#include "apiserver/rest/output.h"
#include "apiserver/rest/read.h"
#include "apiserver/rest/subresources.h"
#include "apiserver/rest/write.h"
#include "apiserver/services/proxy.h"
#include "base/status.h"
#include "base/strings.h"

namespace bth::apiserver {
namespace {

using MaybeResponse = absl::StatusOr<net::Response>;

// What kubelets answer on a real cluster, and why nobody does here; empty: something else.
std::string WithoutContainer(const ApiRequest& request) {
  constexpr std::pair<std::string_view, std::string_view> kAnswers[] = {
      {"log", "there is no log to read"},
      {"exec", "there is none to run a command in"},
      {"attach", "there is none to attach to"},
      {"portforward", "there is no port to forward to"}};
  if (request.type->collection != "pods") return "";
  for (const auto& [subresource, what] : kAnswers) {
    if (request.subresource != subresource) continue;
    return StrCat("pods are simulated here: no container runs, so ", what);
  }
  return "";
}

MaybeResponse GetSubresource(Core& core, const ApiRequest& request) {
  if (request.subresource == "status" && request.type->has_status) return Get(core, request);
  if (request.subresource == "scale" && request.type->scale.has_value()) {
    BTH_ASSIGN_OR_RETURN(const ObjectPtr stored, Require(core, request));
    Json object = ParseStored(*stored);
    FromStorage(*request.type, object);
    BTH_ASSIGN_OR_RETURN(const Json scale, ScaleOf(*request.type, object));
    return JsonResponse(200, scale.Dump());
  }
  if (const std::string why = WithoutContainer(request); !why.empty()) {
    BTH_RETURN_IF_ERROR(Require(core, request));
    return NotImplemented(why);
  }
  return PathNotFound();
}

MaybeResponse Read(const std::shared_ptr<Core>& core, const ApiRequest& request) {
  const bool is_log = request.subresource == "log" && request.type->collection == "pods";
  if (is_log && core->log_source) return ServePodLog(core, request);
  if (!request.subresource.empty()) return GetSubresource(*core, request);
  switch (request.verb) {
    case Verb::kGet:
      return Get(*core, request);
    case Verb::kList:
      return List(*core, request);
    default:
      return Watch(core, request);
  }
}

net::Awaitable<WriteResult> CreateAny(std::shared_ptr<Core> core, const ApiRequest& request) {
  const bool pod = request.type->collection == "pods";
  WriteResult result;  // Every way below sets it.
  if (request.subresource == "binding" && pod) {
    result = co_await Bind(core, request);
  } else if (request.subresource == "eviction" && pod) {
    result = co_await Evict(core, request);
  } else if (const std::string why = WithoutContainer(request); !why.empty()) {
    // Clients without WebSockets post.
    const absl::StatusOr<ObjectPtr> stored = Require(*core, request);
    result = stored.ok() ? NotImplemented(why) : stored.status();
  } else if (!request.subresource.empty()) {
    result = MethodNotAllowed();
  } else if (request.type->kind == "Binding") {
    result = co_await Bind(core, request);
  } else if (request.type->virtual_only) {
    result = Review(*core, request);
  } else {
    absl::StatusOr<Json> body = ReadJsonBody(request);
    if (!body.ok()) co_return body.status();
    Json object = *std::move(body);
    result = co_await Create(core, request, std::move(object));
  }
  co_return result;
}

net::Awaitable<WriteResult> Write(std::shared_ptr<Core> core, const ApiRequest& request) {
  const bool status = request.subresource == "status" && request.type->has_status;
  WriteResult result;  // Every way below sets it.
  if (request.verb == Verb::kCreate) {
    result = co_await CreateAny(core, request);
  } else if (request.verb == Verb::kDelete) {
    absl::StatusOr<DeleteOptions> options = ReadDeleteOptions(request);
    if (!options.ok()) co_return options.status();
    DeleteOptions given = *std::move(options);
    result = co_await Delete(core, request, std::move(given));
  } else if (request.subresource == "scale") {
    result = co_await WriteScale(core, request);
  } else if (request.subresource == "finalize" && request.type->collection == "namespaces") {
    result = co_await FinalizeNamespace(core, request);
  } else if (!request.subresource.empty() && !status) {
    result = PathNotFound();
  } else if (request.verb == Verb::kUpdate) {
    result = co_await Put(core, request);
  } else {
    result = co_await Patch(core, request);
  }
  co_return result;
}

// A quoted string of HTTP.
std::string Quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out.push_back('\\');
    out.push_back(c);
  }
  out.push_back('"');
  return out;
}

MaybeResponse WriteResponse(Core& core, const ApiRequest& request, WriteResult result) {
  if (!result.ok()) return result.status();
  net::Response response;
  const int code = result->created ? 201 : 200;
  if (result->as_status) {
    response = JsonResponse(
        code, SuccessDocument(request.subject(),
                              std::as_const(result->object)["metadata"]["uid"].AsString())
                  .Dump());
  } else if (std::as_const(result->object)["kind"].AsString() == "Status" ||
             request.subresource == "scale") {
    response = JsonResponse(code, result->object.Dump());
  } else {
    BTH_ASSIGN_OR_RETURN(const OutputStyle style, StyleOf(request, core.Now()));
    if (result->stored != nullptr) {
      response = JsonResponse(code, RenderObject(*request.type, *result->stored, style));
    } else {
      FromStorage(*request.type, result->object);
      response = JsonResponse(code, RenderJson(*request.type, result->object, style));
    }
  }
  for (const std::string& warning : result->warnings) {
    response.headers.Add("Warning", StrCat("299 - ", Quoted(warning)));
  }
  return response;
}

// Of a custom resource; what the built-in ones have, each of their handlers knows.
bool LacksSubresource(const ApiRequest& request) {
  const ResourceType& type = *request.type;
  if (!type.custom || request.subresource.empty()) return false;
  const bool has = (request.subresource == "status" && type.has_status) ||
                   (request.subresource == "scale" && type.scale.has_value());
  return !has;
}

net::Awaitable<MaybeResponse> Serve(std::shared_ptr<Core> core, const ApiRequest& request) {
  if (!core->store->health().ok()) co_return InternalError(ToStd(core->store->health().message()));
  // The real server names the object, whether or not it is there.
  if (LacksSubresource(request)) co_return NotFound(request.subject());
  MaybeResponse response;  // Every way below sets it.
  switch (request.verb) {
    case Verb::kGet:
    case Verb::kList:
    case Verb::kWatch:
      response = Read(core, request);
      break;
    case Verb::kDeleteCollection: {
      absl::StatusOr<std::vector<ObjectPtr>> gone = co_await DeleteCollection(core, request);
      if (!gone.ok()) {
        response = gone.status();
        break;
      }
      Page page;
      page.objects = *std::move(gone);
      page.revision = core->store->revision();
      response = JsonResponse(200, RenderList(*request.type, page, "", {.now = core->Now()}));
      break;
    }
    default: {
      WriteResult result = co_await Write(core, request);
      response = WriteResponse(*core, request, std::move(result));
    }
  }
  // Nothing is told that a crash could take back.
  if (core->store->NeedsSync()) {
    absl::Status safe = co_await core->store->Durable();
    if (!safe.ok()) co_return InternalError(ToStd(safe.message()));
  }
  co_return response;
}

// A request may ask for less time than the server gives.
absl::Duration TimeAllowed(const Core& core, const ApiRequest& request) {
  absl::Duration asked;
  const std::string text(request.target.Query("timeout"));
  if (text.empty() || !absl::ParseDuration(text, &asked) || asked <= absl::ZeroDuration()) {
    return core.request_timeout;
  }
  return std::min(asked, core.request_timeout);
}

void Count(Core& core, std::string verb, std::string resource, int code) {
  ++core.counters.requests[{std::move(verb), std::move(resource), code}];
}

// The verb that RBAC knows for a method.
std::string ProxyVerb(std::string_view method) {
  constexpr std::pair<std::string_view, std::string_view> kVerbs[] = {
      {"GET", "get"},    {"HEAD", "get"},    {"POST", "create"},
      {"PUT", "update"}, {"PATCH", "patch"}, {"DELETE", "delete"}};
  for (const auto& [known, verb] : kVerbs) {
    if (method == known) return std::string(verb);
  }
  return "other";
}

net::Awaitable<net::Response> Proxied(std::shared_ptr<Core> core, net::Request request,
                                      absl::StatusOr<ProxyPlace> place) {
  const std::string verb = ProxyVerb(request.method);
  MaybeResponse passed = PathNotFound();
  if (place.ok()) {
    passed = co_await core->proxy->Pass(*core, std::move(request), *std::move(place));
  } else {
    passed = place.status();
  }
  net::Response response = passed.ok() ? std::move(*passed) : ErrorResponse(passed.status());
  Count(*core, verb, "services/proxy", response.status);
  co_return response;
}

}  // namespace

net::Awaitable<net::Response> Handle(std::shared_ptr<Core> core, net::Request request) {
  absl::StatusOr<net::Target> target = net::ParseTarget(request.target);
  if (!target.ok()) co_return ErrorResponse(BadRequest(ToStd(target.status().message())));
  absl::StatusOr<User> user = Authenticate(*core, request);
  if (!user.ok() && !IsOpenPath(target->path)) {
    Count(*core, "", "", 401);
    co_return ErrorResponse(user.status());
  }
  if (std::optional<absl::StatusOr<ProxyPlace>> place = ReadProxyPlace(request.target)) {
    co_return co_await Proxied(core, std::move(request), *std::move(place));
  }
  if (std::optional<net::Response> document = ServeDocument(*core, request, *target)) {
    co_return std::move(*document);
  }
  absl::StatusOr<ApiRequest> api =
      ReadApiRequest(std::move(request), *std::move(target), core->registry);
  if (!api.ok()) {
    Count(*core, "", "", HttpCode(api.status()));
    co_return ErrorResponse(api.status());
  }
  api->user = *std::move(user);
  api->deadline = core->executor.Monotonic() + TimeAllowed(*core, *api);
  MaybeResponse served = co_await Serve(core, *api);
  net::Response response = served.ok() ? std::move(*served) : ErrorResponse(served.status());
  Count(*core, std::string(VerbName(api->verb)), api->type->collection, response.status);
  co_return response;
}

}  // namespace bth::apiserver
