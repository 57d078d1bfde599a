#include "apiserver/schema/version_rules.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "apiserver/schema/structural_rules.h"
#include "base/strings.h"
#include "re2/re2.h"

namespace bth::apiserver {
namespace {

using Causes = std::vector<Cause>;

constexpr std::string_view kColumnTypes[] = {"boolean", "date", "integer", "number", "string"};
constexpr std::string_view kColumnFormats[] = {"byte",  "date",  "date-time", "double",
                                               "float", "int32", "int64",     "password"};

bool IsOneOf(const Json& value, std::initializer_list<std::string_view> known) {
  return std::find(known.begin(), known.end(), value.AsString()) != known.end();
}

template <size_t N>
void CheckColumnWord(const Json& value, const std::string_view (&known)[N],
                     const std::string& field, Causes& causes) {
  if (std::find(std::begin(known), std::end(known), value.AsString()) != std::end(known)) return;
  std::string list;
  for (std::string_view item : known) {
    StrAppend(&list, list.empty() ? "" : ",", item);
  }
  causes.push_back(FieldInvalid(field, value, "must be one of " + list));
}

void CheckPath(const Json& path, const std::string& field, Causes& causes) {
  if (path.AsString().empty()) {
    causes.push_back(FieldRequired(field));
  } else if (!path.AsString().starts_with('.')) {
    causes.push_back(FieldInvalid(field, path, "must be a simple json path starting with ."));
  }
}

void CheckColumns(const Json& columns, const std::string& field, Causes& causes) {
  for (size_t i = 0; i < columns.size(); ++i) {
    const Json& column = columns[i];
    const std::string at = StrCat(field, "[", i, "]");
    if (column["name"].AsString().empty()) causes.push_back(FieldRequired(at + ".name"));
    if (column["type"].AsString().empty()) {
      causes.push_back(FieldRequired(at + ".type"));
    } else {
      CheckColumnWord(column["type"], kColumnTypes, at + ".type", causes);
    }
    if (!column["format"].AsString().empty()) {
      CheckColumnWord(column["format"], kColumnFormats, at + ".format", causes);
    }
    CheckPath(column["jsonPath"], at + ".JSONPath", causes);
  }
}

// A path of the scale subresource: plain steps below one of `roots`.
void CheckScalePath(const Json& path, bool must, std::string_view root, const std::string& field,
                    Causes& causes) {
  static const re2::RE2 kPlain("(\\.[A-Za-z0-9_-]+)+");
  const std::string text(path.AsString());
  if (text.empty()) {
    if (must) causes.push_back(FieldRequired(field));
  } else if (!re2::RE2::FullMatch(text, kPlain)) {
    causes.push_back(FieldInvalid(field, path, "must be a simple json path starting with ."));
  } else if (!root.empty() ? !text.starts_with(StrCat(root, "."))
                           : !text.starts_with(".spec.") && !text.starts_with(".status.")) {
    causes.push_back(FieldInvalid(field, path,
                                  root.empty()
                                      ? "should be a json path under either .spec or .status"
                                      : StrCat("should be a json path under ", root)));
  }
}

void CheckSubresources(const Json& subresources, const std::string& field, Causes& causes) {
  const Json& scale = subresources["scale"];
  if (scale.is_null()) return;
  const std::string at = field + ".scale.";
  CheckScalePath(scale["specReplicasPath"], true, ".spec", at + "specReplicasPath", causes);
  CheckScalePath(scale["statusReplicasPath"], true, ".status", at + "statusReplicasPath", causes);
  CheckScalePath(scale["labelSelectorPath"], false, "", at + "labelSelectorPath", causes);
}

// With a status of its own, the root may only say what holds for both parts.
void CheckRoot(const Json& version, const std::string& field, Causes& causes) {
  if (version["subresources"].Find("status") == nullptr) return;
  const Json& schema = version["schema"]["openAPIV3Schema"];
  for (const char* key : {"allOf", "anyOf", "oneOf", "not", "enum", "additionalProperties"}) {
    if (schema[key].is_null()) continue;
    causes.push_back(FieldInvalid(
        field, key,
        "only fields such as type, description, properties and required are allowed at the root "
        "of the schema if the status subresource is enabled"));
  }
}

const Json* SchemaAt(const Json& schema, std::string_view path) {
  const Json* at = &schema;
  for (absl::string_view step : SplitText(path, '.', absl::SkipEmpty())) {
    at = (*at)["properties"].Find(ToStd(step));
    if (at == nullptr) return nullptr;
  }
  return at;
}

void CheckSelectable(const Json& version, const std::string& field, Causes& causes) {
  const Json& fields = version["selectableFields"];
  std::set<std::string> seen;
  for (size_t i = 0; i < fields.size(); ++i) {
    const Json& path = fields[i]["jsonPath"];
    const std::string at = StrCat(field, "[", i, "].jsonPath");
    if (path.AsString().empty()) {
      causes.push_back(FieldRequired(at));
    } else if (!path.AsString().starts_with('.')) {
      causes.push_back(FieldInvalid(at, path, "is an invalid path: expected [ or ."));
    } else if (const Json* node = SchemaAt(version["schema"]["openAPIV3Schema"], path.AsString());
               node == nullptr || !IsOneOf((*node)["type"], {"string", "integer", "boolean"})) {
      causes.push_back(
          FieldInvalid(at, path, "is an invalid path: does not refer to a valid field"));
    } else if (!seen.emplace(path.AsString()).second) {
      causes.push_back({"FieldValueDuplicate", StrCat("Duplicate value: ", path.Dump()), at});
    }
  }
}

// Runs `check` once when all versions say the same, else for each.
template <typename Check>
void PerVersion(const Json& versions, std::initializer_list<std::string_view> path,
                const char* shared, const char* own, const Check& check) {
  bool same = !versions.empty();
  for (const Json& version : versions.items()) {
    same &= version.At(path) == versions[size_t{0}].At(path);
  }
  if (same) {
    check(versions[size_t{0}], shared);
    return;
  }
  for (size_t i = 0; i < versions.size(); ++i) {
    check(versions[i], StrCat("spec.versions[", i, "].", own));
  }
}

}  // namespace

void CheckVersions(const Json& versions, std::vector<Cause>& causes) {
  for (size_t i = 0; i < versions.size(); ++i) {
    if (versions[i]["schema"]["openAPIV3Schema"].is_object()) continue;
    causes.push_back(FieldRequired(StrCat("spec.versions[", i, "].schema.openAPIV3Schema")));
  }
  auto schema = [&](const Json& version, const std::string& field) {
    const Json& text = version["schema"]["openAPIV3Schema"];
    if (!text.is_object()) return;
    std::vector<Cause> found = CheckStructural(text, field);
    causes.insert(causes.end(), found.begin(), found.end());
    CheckRoot(version, field, causes);
  };
  PerVersion(versions, {"schema"}, "spec.validation.openAPIV3Schema", "schema.openAPIV3Schema",
             schema);
  PerVersion(versions, {"additionalPrinterColumns"}, "spec.additionalPrinterColumns",
             "additionalPrinterColumns", [&](const Json& version, const std::string& field) {
               CheckColumns(version["additionalPrinterColumns"], field, causes);
             });
  PerVersion(versions, {"subresources"}, "spec.subresources", "subresources",
             [&](const Json& version, const std::string& field) {
               CheckSubresources(version["subresources"], field, causes);
             });
  PerVersion(versions, {"selectableFields"}, "spec.selectableFields", "selectableFields",
             [&](const Json& version, const std::string& field) {
               CheckSelectable(version, field, causes);
             });
}

}  // namespace bth::apiserver
