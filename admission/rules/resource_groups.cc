#include "admission/rules/resource_groups.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "api/rules/go_quote.h"
#include "api/types/fragment.h"
#include "base/status.h"
#include "base/strings.h"
#include "conf/map_reader.h"
#include "conf/value.h"

namespace bth::admission {
namespace {

using conf::MapReader;
using types::Json;
using Findings = std::vector<conf::Finding>;
using TextMap = std::map<std::string, std::string>;

constexpr std::string_view kGroupAnnotation = "volcano.sh/resource-group";

std::string KindOf(const conf::Value& value) {
  return StrCat("a ", value.KindName());
}

// As much of a text as a message may show.
std::string Shown(std::string_view text) {
  constexpr size_t kShownMax = 64;
  return rules::GoQuote(text.substr(0, kShownMax));
}

std::string Element(std::string_view list, size_t index) {
  return StrCat(list, "[", index, "]");
}

absl::StatusOr<TextMap> ReadTextMap(const MapReader& holder, std::string_view key) {
  BTH_ASSIGN_OR_RETURN(const conf::Value* map, holder.AnyMap(key));
  if (map->members().size() > ResourceGroups::kEntriesMax) {
    return holder.Refuse(key, StrCat("has ", map->members().size(), " entries; at most ",
                                     ResourceGroups::kEntriesMax, " are allowed"));
  }
  TextMap texts;
  for (const conf::Value::Member& member : map->members()) {
    if (!member.value.is_scalar()) {
      return holder.Refuse(key, StrCat("the value of ", Shown(member.key), " must be a text, got ",
                                       KindOf(member.value)));
    }
    texts[member.key] = member.value.is_null() ? "" : member.value.text();
  }
  return texts;
}

// One entry of object.value: YAML of its own, "volcano.sh/resource-group: cpu". Nothing: it is no
// map of texts.
std::optional<TextMap> ReadPairs(std::string_view text) {
  const absl::StatusOr<conf::YamlDocument> document = conf::ParseYaml(text);
  if (!document.ok()) return std::nullopt;
  if (document->root.is_null()) return TextMap{};
  if (!document->root.is_map()) return std::nullopt;
  TextMap pairs;
  for (const conf::Value::Member& member : document->root.members()) {
    if (!member.value.is_scalar()) return std::nullopt;
    pairs[member.key] = member.value.is_null() ? "" : member.value.text();
  }
  return pairs;
}

GroupKey KeyOf(std::string_view text) {
  if (text.empty()) return GroupKey::kNone;
  if (text == "namespace") return GroupKey::kNamespace;
  return text == "annotation" ? GroupKey::kAnnotation : GroupKey::kOther;
}

absl::Status ReadObjectOfGroup(const MapReader& group, ResourceGroup* out) {
  BTH_ASSIGN_OR_RETURN(const MapReader object, group.Map("object", {"key", "value"}));
  BTH_ASSIGN_OR_RETURN(const std::string key, object.Text("key"));
  out->key = KeyOf(key);
  if (out->key == GroupKey::kOther) {
    object.Warn("key", "no pod matches this group: use namespace or annotation");
  }
  BTH_ASSIGN_OR_RETURN(const conf::Value::List* values,
                       object.List("value", ResourceGroups::kEntriesMax));
  for (const conf::Value& value : *values) {
    if (!value.is_scalar()) {
      return object.Refuse(
          "value", StrCat("line ", value.line(), ": each entry must be a text, got ", KindOf(value),
                          "; put it into quotes"));
    }
    if (out->key == GroupKey::kNamespace) {
      out->namespaces.push_back(value.is_null() ? "" : value.text());
    } else if (std::optional<TextMap> pairs = ReadPairs(value.text())) {
      out->annotations.merge(*pairs);  // What is there already stays.
    } else {
      object.Warn("value", StrCat(Shown(value.text()), " is no `annotation: value`, ignored"));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<Json> ReadToleration(const conf::Value& value, std::string path,
                                    Findings& findings) {
  // All in lower case: so the file has always been read, and what is written otherwise is ignored.
  BTH_ASSIGN_OR_RETURN(
      const MapReader reader,
      MapReader::Open(&value, std::move(path),
                      {"key", "operator", "value", "effect", "tolerationseconds"}, findings));
  Json toleration = Json::MakeObject();
  for (const std::string_view key : {"key", "operator", "value", "effect"}) {
    BTH_ASSIGN_OR_RETURN(std::string text, reader.Text(key));
    if (!text.empty()) toleration.Set(key, std::move(text));
  }
  BTH_ASSIGN_OR_RETURN(const std::optional<int64_t> seconds, reader.Int("tolerationseconds"));
  if (seconds) toleration.Set("tolerationSeconds", *seconds);
  return toleration;
}

// Null when it cannot be used.
Json ReadAffinity(const MapReader& group, std::string_view text) {
  if (text.empty()) return nullptr;
  absl::StatusOr<Json> affinity = Json::Parse(text);
  absl::Status status = affinity.status();
  if (affinity.ok() && affinity->is_null()) affinity = Json::MakeObject();
  if (affinity.ok()) status = types::FragmentFromJson<types::Affinity>(*affinity).status();
  if (status.ok()) return *std::move(affinity);
  group.Warn("affinity", StrCat("no JSON of an affinity, ignored: ", ToStd(status.message())));
  return nullptr;
}

absl::StatusOr<ResourceGroup> ReadGroup(const conf::Value& value, const std::string& path,
                                        Findings& findings) {
  BTH_ASSIGN_OR_RETURN(const MapReader reader,
                       MapReader::Open(&value, path,
                                       {"resourceGroup", "object", "schedulerName", "tolerations",
                                        "labels", "affinity"},
                                       findings));
  ResourceGroup group;
  BTH_ASSIGN_OR_RETURN(group.name, reader.Text("resourceGroup"));
  BTH_ASSIGN_OR_RETURN(group.scheduler_name, reader.Text("schedulerName"));
  BTH_RETURN_IF_ERROR(ReadObjectOfGroup(reader, &group));
  BTH_ASSIGN_OR_RETURN(const conf::Value::List* tolerations,
                       reader.List("tolerations", ResourceGroups::kEntriesMax));
  for (size_t i = 0; i < tolerations->size(); ++i) {
    BTH_ASSIGN_OR_RETURN(
        Json toleration,
        ReadToleration((*tolerations)[i], Element(reader.PathOf("tolerations"), i), findings));
    group.tolerations.push_back(std::move(toleration));
  }
  BTH_ASSIGN_OR_RETURN(group.labels, ReadTextMap(reader, "labels"));
  BTH_ASSIGN_OR_RETURN(const std::string affinity, reader.Text("affinity"));
  group.affinity = ReadAffinity(reader, affinity);
  if (group.name.empty() && group.key == GroupKey::kNone) {
    reader.Warn("resourceGroup",
                "a group without a name and without object.key matches every pod that has no "
                "annotation volcano.sh/resource-group: name it");
  }
  return group;
}

// Empty for an annotation that is not there.
std::string_view AnnotationOf(const types::Pod& pod, std::string_view key) {
  const std::string* value = pod.meta.annotations.Find(key);
  return value == nullptr ? std::string_view() : std::string_view(*value);
}

}  // namespace

bool ResourceGroup::Matches(const types::Pod& pod, std::string_view ns) const {
  if (key == GroupKey::kOther) return false;
  if (key == GroupKey::kNamespace) {
    return std::find(namespaces.begin(), namespaces.end(), ns) != namespaces.end();
  }
  if (key == GroupKey::kNone && AnnotationOf(pod, kGroupAnnotation) == name) return true;
  return std::any_of(annotations.begin(), annotations.end(), [&pod](const auto& pair) {
    return AnnotationOf(pod, pair.first) == pair.second;
  });
}

absl::StatusOr<ResourceGroups> ResourceGroups::Parse(std::string_view text) {
  BTH_ASSIGN_OR_RETURN(const conf::YamlDocument document, conf::ParseYaml(text));
  ResourceGroups groups;
  BTH_ASSIGN_OR_RETURN(const MapReader root,
                       MapReader::Open(&document.root, "", {"resourceGroups"}, groups.findings_));
  BTH_ASSIGN_OR_RETURN(const conf::Value::List* list, root.List("resourceGroups", kGroupsMax));
  for (size_t i = 0; i < list->size(); ++i) {
    BTH_ASSIGN_OR_RETURN(ResourceGroup group,
                         ReadGroup((*list)[i], Element("resourceGroups", i), groups.findings_));
    groups.groups_.push_back(std::move(group));
  }
  return groups;
}

const ResourceGroup* ResourceGroups::Find(const types::Pod& pod, std::string_view ns) const {
  for (const ResourceGroup& group : groups_) {
    if (group.Matches(pod, ns)) return &group;
  }
  return nullptr;
}

}  // namespace bth::admission
