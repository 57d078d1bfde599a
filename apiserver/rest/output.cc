#include "apiserver/rest/output.h"

#include <utility>

#include "apiserver/table/table.h"
#include "base/check.h"
#include "base/status.h"
#include "base/strings.h"

namespace bth::apiserver {
namespace {

// Bytes of an event beside its object, at most.
constexpr size_t kAroundEvent = 64;

Json MetadataOnly(const Json& object) {
  return Json::MakeObject({{"kind", "PartialObjectMetadata"},
                           {"apiVersion", "meta.k8s.io/v1"},
                           {"metadata", object["metadata"]}});
}

Json TableRow(const ResourceType& type, const Json& object, const OutputStyle& style) {
  Json row = Json::MakeObject({{"cells", Json(TableCells(type, object, style.now))}});
  if (style.row_object == RowObject::kWhole) row.Set("object", object);
  if (style.row_object == RowObject::kMetadata) row.Set("object", MetadataOnly(object));
  return row;
}

Json Table(const ResourceType& type, Json metadata, Json::Array rows, bool columns) {
  return Json::MakeObject({{"kind", "Table"},
                           {"apiVersion", "meta.k8s.io/v1"},
                           {"metadata", std::move(metadata)},
                           {"columnDefinitions", columns ? TableColumns(type) : Json::MakeArray()},
                           {"rows", Json(std::move(rows))}});
}

Json Served(const ResourceType& type, const StoredObject& object) {
  Json json = ParseStored(object);
  FromStorage(type, json);
  return json;
}

std::string RenderServed(const ResourceType& type, const Json& object, const OutputStyle& style,
                         bool columns) {
  switch (style.form) {
    case Form::kObject:
      return object.Dump();
    case Form::kMetadata:
      return MetadataOnly(object).Dump();
    case Form::kTable:
      break;
  }
  Json metadata = Json::MakeObject({{"resourceVersion", object["metadata"]["resourceVersion"]}});
  return Table(type, std::move(metadata), {TableRow(type, object, style)}, columns).Dump();
}

}  // namespace

absl::StatusOr<OutputStyle> StyleOf(const ApiRequest& request, absl::Time now) {
  OutputStyle style{request.form, RowObject::kMetadata, now};
  const std::string_view include = request.target.Query("includeObject");
  if (style.form != Form::kTable || include.empty() || include == "Metadata") return style;
  if (include == "Object") {
    style.row_object = RowObject::kWhole;
  } else if (include == "None") {
    style.row_object = RowObject::kNone;
  } else {
    return BadRequest("includeObject must be Object, Metadata or None");
  }
  return style;
}

std::string RenderObject(const ResourceType& type, const StoredObject& object,
                         const OutputStyle& style) {
  if (style.form == Form::kObject && type.conversion == Conversion::kNone) return object.bytes;
  return RenderServed(type, Served(type, object), style, true);
}

std::string RenderJson(const ResourceType& type, const Json& object, const OutputStyle& style) {
  return RenderServed(type, object, style, true);
}

std::string RenderList(const ResourceType& type, const Page& page, std::string_view continue_token,
                       const OutputStyle& style) {
  Json metadata = Json::MakeObject({{"resourceVersion", StrCat(page.revision)}});
  if (!continue_token.empty()) metadata.Set("continue", continue_token);
  if (page.remaining.has_value()) metadata.Set("remainingItemCount", *page.remaining);
  if (style.form == Form::kTable) {
    Json::Array rows;
    rows.reserve(page.objects.size());
    for (const ObjectPtr& object : page.objects) {
      rows.push_back(TableRow(type, Served(type, *object), style));
    }
    return Table(type, std::move(metadata), std::move(rows), true).Dump();
  }
  const bool whole = style.form == Form::kObject;
  std::string out = StrCat("{\"kind\":\"", whole ? type.list_kind : "PartialObjectMetadataList",
                           "\",\"apiVersion\":\"", whole ? type.api_version() : "meta.k8s.io/v1",
                           "\",\"metadata\":", metadata.Dump(), ",\"items\":[");
  size_t size = out.size() + 4;
  for (const ObjectPtr& object : page.objects) size += object->bytes.size() + 1;
  out.reserve(size);
  const bool stored_bytes = whole && type.conversion == Conversion::kNone;
  for (const ObjectPtr& object : page.objects) {
    if (object != page.objects.front()) out.push_back(',');
    if (stored_bytes) {
      out += object->bytes;
    } else {
      out += RenderObject(type, *object, style);
    }
  }
  out += "]}\n";
  return out;
}

// As text from the start: a quiet watch consists of them.
std::string WatchRenderer::Bookmark(const WatchItem& item) {
  const bool partial = style_.form == Form::kMetadata;
  std::string body = StrCat(
      "{\"kind\":\"", partial ? "PartialObjectMetadata" : type_->kind, "\",\"apiVersion\":\"",
      partial ? "meta.k8s.io/v1" : type_->api_version(), "\",\"metadata\":{\"resourceVersion\":\"",
      item.revision, "\",\"creationTimestamp\":null");
  if (item.initial_end) body += ",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}";
  body += "}}";
  // A table bookmark has a row without cells' meaning, as the real server sends it.
  if (style_.form == Form::kTable) {
    const absl::StatusOr<Json> object = Json::Parse(body);
    BTH_CHECK(object.ok());
    body = RenderServed(*type_, *object, style_, !columns_sent_);
  }
  columns_sent_ = true;
  return body;
}

void WatchRenderer::Append(std::string* out, const WatchItem& item, absl::Time now) {
  style_.now = now;
  if (item.type == EventType::kBookmark) {
    StrAppend(out, "{\"type\":\"BOOKMARK\",\"object\":", Bookmark(item), "}\n");
    return;
  }
  out->reserve(out->size() + item.object->bytes.size() + kAroundEvent);
  *out += item.type == EventType::kAdded      ? "{\"type\":\"ADDED\",\"object\":"
          : item.type == EventType::kModified ? "{\"type\":\"MODIFIED\",\"object\":"
                                              : "{\"type\":\"DELETED\",\"object\":";
  if (style_.form == Form::kObject && type_->conversion == Conversion::kNone) {
    *out += item.object->bytes;
  } else {
    *out += RenderServed(*type_, Served(*type_, *item.object), style_, !columns_sent_);
    columns_sent_ = true;
  }
  *out += "}\n";
}

std::string WatchRenderer::ErrorLine(const absl::Status& status) {
  return StrCat("{\"type\":\"ERROR\",\"object\":", StatusDocument(status).Dump(), "}\n");
}

net::Response JsonResponse(int code, std::string body) {
  net::Response response;
  response.status = code;
  response.headers.Set("Content-Type", "application/json");
  response.headers.Set("Cache-Control", "no-cache, private");
  response.body = std::move(body);
  return response;
}

net::Response ErrorResponse(const absl::Status& status) {
  net::Response response = JsonResponse(HttpCode(status), StatusDocument(status).Dump());
  if (const int seconds = RetryAfterSeconds(status); seconds > 0) {
    response.headers.Set("Retry-After", StrCat(seconds));
  }
  return response;
}

}  // namespace bth::apiserver
