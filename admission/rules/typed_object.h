// The document of a request as a typed object. Private to this folder.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "admission/rules/request.h"
#include "api/types/fragment_view.h"
#include "base/status.h"
#include "base/strings.h"

namespace bth::admission {

// As Volcano reads documents: without a look at apiVersion and kind, without defaults, unknown
// fields skipped; an absent document is an empty object. Errors name the field. What has to be
// known as it was written (the raw parts of templates and claims) is in the document, not here:
// such parts are looked at for what cannot be read, and left empty.
template <class T>
absl::StatusOr<T> ReadDocument(const Json* document, std::string_view where) {
  if (document == nullptr || document->is_null()) return T{};
  auto read = types::FragmentOutlineFromJson<T>(*document);
  if (!read.ok()) return Annotate(read.status(), where);
  return read;
}

template <class T>
absl::StatusOr<T> ReadObject(const Request& request) {
  return ReadDocument<T>(request.object, "object");
}

template <class T>
absl::StatusOr<T> ReadOldObject(const Request& request) {
  return ReadDocument<T>(request.old_object, "oldObject");
}

inline Verdict RefuseUnreadable(const absl::Status& status) {
  return Verdict::Refuse("unreadable", std::string(status.message()));
}

}  // namespace bth::admission
