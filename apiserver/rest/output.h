// Turns stored objects into answer bodies: whole, as tables, or as metadata only.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apiserver/registry/resource_type.h"
#include "apiserver/rest/request.h"
#include "apiserver/store/collection.h"
#include "apiserver/store/watcher.h"
#include "net/http.h"

namespace bth::apiserver {

// What of the object a table row carries along.
enum class RowObject { kMetadata, kWhole, kNone };

// How to render for one request.
struct OutputStyle {
  Form form = Form::kObject;
  RowObject row_object = RowObject::kMetadata;  // Tables: query parameter includeObject.
  absl::Time now;                               // Tables: ages.
};
absl::StatusOr<OutputStyle> StyleOf(const ApiRequest& request, absl::Time now);

// The object's JSON in the version of `type`. Whole objects that need no conversion are not
// parsed: the stored bytes are the answer.
std::string RenderObject(const ResourceType& type, const StoredObject& object,
                         const OutputStyle& style);
// The same from a Json, for objects that are not stored (dry run, subresources).
std::string RenderJson(const ResourceType& type, const Json& object, const OutputStyle& style);
// `continue_token` and `remaining` as far as the page has more.
std::string RenderList(const ResourceType& type, const Page& page, std::string_view continue_token,
                       const OutputStyle& style);

// Renders the events of one watch, one line each. The first table row carries the columns.
class WatchRenderer {
 public:
  WatchRenderer(ResourceTypePtr type, OutputStyle style) : type_(std::move(type)), style_(style) {}
  void Append(std::string* out, const WatchItem& item, absl::Time now);
  // An ERROR event: the last line of a watch that cannot go on.
  static std::string ErrorLine(const absl::Status& status);

 private:
  std::string Bookmark(const WatchItem& item);

  ResourceTypePtr type_;
  OutputStyle style_;
  bool columns_sent_ = false;
};

net::Response JsonResponse(int code, std::string body);
net::Response ErrorResponse(const absl::Status& status);

// Between the served version and storage, in place.
void ToStorage(const ResourceType& type, Json& object);
void FromStorage(const ResourceType& type, Json& object);

}  // namespace bth::apiserver
