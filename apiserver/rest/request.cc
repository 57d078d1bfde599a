#include "apiserver/rest/request.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "apiserver/protobuf/decode.h"
#include "base/status.h"
#include "base/strings.h"

namespace bth::apiserver {
namespace {

absl::StatusOr<Verb> VerbOf(const std::string& method, const ResourcePath& path,
                            const net::Target& target) {
  const bool named = !path.name.empty();
  if (method == "GET" || method == "HEAD") {
    BTH_ASSIGN_OR_RETURN(const bool watch, QueryBool(target, "watch"));
    if (watch && !path.subresource.empty()) return MethodNotAllowed();
    if (watch) return Verb::kWatch;
    return named ? Verb::kGet : Verb::kList;
  }
  if (method == "POST" && (!named || !path.subresource.empty())) return Verb::kCreate;
  if (method == "PUT" && named) return Verb::kUpdate;
  if (method == "PATCH" && named) return Verb::kPatch;
  if (method == "DELETE" && path.subresource.empty()) {
    return named ? Verb::kDelete : Verb::kDeleteCollection;
  }
  return MethodNotAllowed();
}

// The options that the query parameters of a verb make up.
std::string_view OptionsKind(Verb verb) {
  switch (verb) {
    case Verb::kCreate:
      return "CreateOptions";
    case Verb::kUpdate:
      return "UpdateOptions";
    case Verb::kPatch:
      return "PatchOptions";
    case Verb::kDelete:
    case Verb::kDeleteCollection:
      return "DeleteOptions";
    default:
      return "ListOptions";
  }
}

absl::StatusOr<FieldValidation> FieldValidationOf(const net::Target& target, Verb verb) {
  const std::string_view text = target.Query("fieldValidation");
  if (text.empty()) return FieldValidation::kUnset;
  if (text == "Ignore") return FieldValidation::kIgnore;
  if (text == "Warn") return FieldValidation::kWarn;
  if (text == "Strict") return FieldValidation::kStrict;
  return Invalid({"meta.k8s.io", "", std::string(OptionsKind(verb)), ""},
                 {FieldNotSupported("fieldValidation", text, R"("", "Ignore", "Strict", "Warn")")});
}

absl::StatusOr<Form> FormOf(std::string_view accept) {
  const std::vector<MediaType> types = ParseAccept(accept);
  for (const MediaType& media : types) {
    const bool any = media.type == "*/*" || media.type == "application/*";
    // Clients that prefer protobuf read the answer's Content-Type, so JSON serves them as well.
    const bool protobuf = media.type == kProtobufType;
    if (media.type != "application/json" && !any && !protobuf) continue;
    if (media.as.empty()) return Form::kObject;
    if (media.group != "meta.k8s.io" || protobuf) continue;
    if (media.as == "Table" && (media.version == "v1" || media.version == "v1beta1")) {
      return Form::kTable;
    }
    if (media.as.starts_with("PartialObjectMetadata")) return Form::kMetadata;
  }
  if (types.empty()) return Form::kObject;
  return NotAcceptable("application/json");
}

absl::Status CheckScope(const ApiRequest& request, const ResourcePath& path) {
  const ResourceType& type = *request.type;
  if (!type.namespaced && !path.ns.empty()) return PathNotFound();
  if (!type.namespaced || !path.ns.empty()) return absl::OkStatus();
  // Without a namespace only lists and watches over all of them make sense.
  if (request.verb == Verb::kList || request.verb == Verb::kWatch) return absl::OkStatus();
  if (request.verb == Verb::kCreate || request.verb == Verb::kDeleteCollection) {
    return MethodNotAllowed();
  }
  return PathNotFound();
}

}  // namespace

std::string_view VerbName(Verb verb) {
  switch (verb) {
    case Verb::kGet:
      return "get";
    case Verb::kList:
      return "list";
    case Verb::kWatch:
      return "watch";
    case Verb::kCreate:
      return "create";
    case Verb::kUpdate:
      return "update";
    case Verb::kPatch:
      return "patch";
    case Verb::kDelete:
      return "delete";
    case Verb::kDeleteCollection:
      return "deletecollection";
  }
  return "";
}

std::optional<ResourcePath> ParseResourcePath(std::string_view path) {
  std::vector<std::string> steps = SplitText(path, '/', absl::SkipEmpty());
  ResourcePath result;
  size_t at = 0;
  auto take = [&](std::string* into) {
    if (at >= steps.size()) return false;
    *into = steps[at++];
    return true;
  };
  std::string root;
  if (!take(&root)) return std::nullopt;
  if (root != "api" && root != "apis") return std::nullopt;
  if (root == "apis" && !take(&result.group)) return std::nullopt;
  if (!take(&result.version) || !take(&result.plural)) return std::nullopt;
  // "namespaces/NS/x/..." is a resource in a namespace, but for the namespace's own subresources.
  const bool inside = result.plural == "namespaces" && steps.size() - at >= 2 &&
                      !(result.group.empty() && steps.size() - at == 2 &&
                        (steps[at + 1] == "status" || steps[at + 1] == "finalize"));
  if (inside) {
    take(&result.ns);
    take(&result.plural);
  }
  take(&result.name);
  take(&result.subresource);
  if (at != steps.size()) return std::nullopt;
  return result;
}

absl::StatusOr<ApiRequest> ReadApiRequest(net::Request request, net::Target target,
                                          const Registry& registry) {
  const std::optional<ResourcePath> path = ParseResourcePath(target.path);
  if (!path.has_value()) return PathNotFound();
  ApiRequest result;
  result.type = registry.Find(path->group, path->version, path->plural);
  if (result.type == nullptr) return PathNotFound();
  BTH_ASSIGN_OR_RETURN(result.verb, VerbOf(request.method, *path, target));
  result.ns = path->ns;
  result.name = path->name;
  result.subresource = path->subresource;
  BTH_RETURN_IF_ERROR(CheckScope(result, *path));
  if (result.type->virtual_only && result.verb != Verb::kCreate) {
    return MethodNotAllowed();
  }
  BTH_ASSIGN_OR_RETURN(result.form, FormOf(request.headers.Get("accept")));
  for (const auto& [name, value] : target.query) {
    if (name != "dryRun" || value.empty()) continue;
    if (value != "All") {
      return Invalid({"meta.k8s.io", "", std::string(OptionsKind(result.verb)), ""},
                     {FieldNotSupported("dryRun", Json::MakeArray({value}), "\"All\"")});
    }
    result.dry_run = true;
  }
  if (result.verb == Verb::kCreate || result.verb == Verb::kUpdate || result.verb == Verb::kPatch) {
    BTH_ASSIGN_OR_RETURN(result.field_validation, FieldValidationOf(target, result.verb));
  }
  if (request.body.size() > kBodyBytesMax) return TooLarge(kBodyBytesMax);
  result.target = std::move(target);
  result.headers = std::move(request.headers);
  result.body = std::move(request.body);
  return result;
}

std::vector<MediaType> ParseAccept(std::string_view header) {
  std::vector<MediaType> types;
  for (absl::string_view part : SplitText(header, ',', absl::SkipWhitespace())) {
    MediaType media;
    bool first = true;
    for (absl::string_view piece : absl::StrSplit(part, ';')) {
      piece = absl::StripAsciiWhitespace(piece);
      if (std::exchange(first, false)) {
        media.type = absl::AsciiStrToLower(piece);
        continue;
      }
      const std::pair<absl::string_view, absl::string_view> pair =
          absl::StrSplit(piece, absl::MaxSplits('=', 1));
      if (pair.first == "as") media.as = std::string(pair.second);
      if (pair.first == "g") media.group = std::string(pair.second);
      if (pair.first == "v") media.version = std::string(pair.second);
    }
    types.push_back(std::move(media));
  }
  return types;
}

absl::StatusOr<bool> QueryBool(const net::Target& target, std::string_view name) {
  if (!target.HasQuery(name)) return false;
  const std::string_view text = target.Query(name);
  // A bare "?watch" counts as set, as with the real server.
  // Spellings as Go reads them; the official Python client says True.
  for (std::string_view yes : {"", "1", "t", "T", "true", "TRUE", "True"}) {
    if (text == yes) return true;
  }
  for (std::string_view no : {"0", "f", "F", "false", "FALSE", "False"}) {
    if (text == no) return false;
  }
  return BadRequest(StrCat("query parameter ", name, ": \"", text, "\" is not a boolean"));
}

absl::StatusOr<std::optional<int64_t>> QueryInt(const net::Target& target, std::string_view name) {
  const std::string_view text = target.Query(name);
  if (text.empty()) return std::optional<int64_t>();
  int64_t value = 0;
  if (!SimpleAtoi(text, &value)) {
    return BadRequest(StrCat("query parameter ", name, ": \"", text, "\" is not a whole number"));
  }
  return std::optional<int64_t>(value);
}

absl::StatusOr<Json> ParseJsonText(std::string_view text) {
  absl::StatusOr<Json> json =
      Json::Parse(text, {.bytes_max = kBodyBytesMax, .depth_max = kJsonDepthMax});
  if (!json.ok()) {
    return BadRequest(StrCat("the body is not readable JSON: ", json.status().message()));
  }
  return json;
}

absl::StatusOr<Json> ReadJsonBody(const ApiRequest& request) {
  const std::vector<MediaType> types = ParseAccept(request.headers.Get("content-type"));
  if (!types.empty() && types.front().type == kProtobufType) {
    absl::StatusOr<Json> decoded = DecodeProtobuf(request.body);
    if (!decoded.ok()) return UnsupportedMediaType(ToStd(decoded.status().message()));
    return decoded;
  }
  if (!types.empty() && types.front().type != "application/json" && types.front().type != "*/*") {
    return UnsupportedMediaType(
        StrCat("the body of the request was in an unknown format - accepted media types "
               "include: application/json, application/vnd.kubernetes.protobuf; got ",
               types.front().type));
  }
  BTH_ASSIGN_OR_RETURN(Json json, ParseJsonText(request.body));
  if (!json.is_object()) return BadRequest("the body must be one JSON object");
  return json;
}

}  // namespace bth::apiserver
