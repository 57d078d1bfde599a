// A request to a resource, after its path and headers were understood.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "apiserver/registry/registry.h"
#include "net/http.h"

namespace bth::apiserver {

enum class Verb { kGet, kList, kWatch, kCreate, kUpdate, kPatch, kDelete, kDeleteCollection };
std::string_view VerbName(Verb verb);

// How objects are answered: whole, as rows of a table, or only their metadata.
enum class Form { kObject, kTable, kMetadata };

// What becomes of unknown fields: the query parameter fieldValidation.
enum class FieldValidation { kUnset, kIgnore, kWarn, kStrict };

struct User {
  std::string name = "system:anonymous";
  std::string uid;
  std::vector<std::string> groups = {"system:unauthenticated"};
};

struct ApiRequest {
  Verb verb = Verb::kGet;
  ResourceTypePtr type;
  std::string ns;    // Empty for cluster-scoped resources and for all namespaces.
  std::string name;  // Empty for collections.
  std::string subresource;
  Form form = Form::kObject;
  bool dry_run = false;
  FieldValidation field_validation = FieldValidation::kUnset;
  User user;
  net::Target target;
  net::Headers headers;
  std::string body;
  // The subresource the request came through, where the write is done on the object itself:
  // "scale", "finalize". Admission is asked about that one.
  std::string via;
  // When the answer must be there, on the executor's monotonic clock.
  absl::Duration deadline = absl::InfiniteDuration();

  Subject subject() const { return type->Named(name); }
  ObjectKey key() const { return {type->namespaced ? ns : "", name}; }
};

// Where a path below /api or /apis leads.
struct ResourcePath {
  std::string group;
  std::string version;
  std::string ns;
  std::string plural;
  std::string name;
  std::string subresource;
};

// Nothing when the path does not name a resource (too short, too long, not below /api or /apis).
std::optional<ResourcePath> ParseResourcePath(std::string_view path);

// Reads method, path, query and Accept header. Errors: 404 unknown resource, 405, 406, 400.
absl::StatusOr<ApiRequest> ReadApiRequest(net::Request request, net::Target target,
                                          const Registry& registry);

// What an Accept header asks for.
struct MediaType {
  std::string type;                // "application/json".
  std::string as, group, version;  // Parameters as=, g=, v=.
};
// In the order of preference that the header's order gives; quality values are not weighed.
std::vector<MediaType> ParseAccept(std::string_view header);

// Query parameters of types other than text. Errors: 400.
absl::StatusOr<bool> QueryBool(const net::Target& target, std::string_view name);
absl::StatusOr<std::optional<int64_t>> QueryInt(const net::Target& target, std::string_view name);

// The body as a JSON object. Errors: 400 with the place, 413, 415.
absl::StatusOr<Json> ReadJsonBody(const ApiRequest& request);
absl::StatusOr<Json> ParseJsonText(std::string_view text);

constexpr size_t kBodyBytesMax = size_t{3} << 20;
constexpr int kJsonDepthMax = 128;

}  // namespace bth::apiserver
