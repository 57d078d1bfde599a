// All that a server holds, as a text that two runs of one story have in common.
#pragma once

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"
#include "apiserver/api_server.h"
#include "base/strings.h"

namespace bth::test {

struct EndState {
  std::string objects;           // All but events and definitions, in the order of their names.
  std::set<std::string> events;  // "kind name reason"
};

// Nothing is left out but times and resource versions. Uids, and names that follow from them, are
// replaced by what they belong to, wherever they stand.
class EndStateReader {
 public:
  using Json = types::Json;

  static EndState Read(apiserver::Store& store) {
    EndStateReader reader;
    std::vector<std::pair<std::string, Json>> objects;  // With their collections.
    std::vector<Json> events;
    for (const auto& [name, collection] : store.collections()) {
      if (absl::StartsWith(name, "customresourcedefinitions")) continue;
      for (const apiserver::ObjectPtr& object : collection->All("")) {
        Json parsed = apiserver::ParseStored(*object);
        if (absl::StartsWith(name, "events")) {
          events.push_back(std::move(parsed));
        } else {
          objects.emplace_back(name, std::move(parsed));
        }
      }
    }
    reader.Name(objects);
    EndState state;
    std::map<std::string, std::string> texts;
    for (auto& [collection, object] : objects) {
      const std::string key = reader.KeyOf(collection, object);
      reader.Rewrite("", &object);
      texts[key] += object.Pretty();
    }
    for (const auto& [key, text] : texts) state.objects += key + " " + text + "\n";
    for (const Json& event : events) {
      state.events.insert(reader.Renamed(StrCat(
          event.At({"involvedObject", "kind"}).AsString(), " ",
          event.At({"involvedObject", "name"}).AsString(), " ", event["reason"].AsString())));
    }
    return state;
  }

 private:
  using Replacements = std::map<std::string, std::string>;

  std::string KeyOf(const std::string& collection, const Json& object) const {
    const Json& meta = object["metadata"];
    return Renamed(
        StrCat(collection, "/", meta["namespace"].AsString(), "/", meta["name"].AsString()));
  }
  // Objects first whose names follow from no uid.
  void Name(const std::vector<std::pair<std::string, Json>>& objects) {
    for (const bool is_derived : {false, true}) {
      for (const auto& [collection, object] : objects) {
        const std::string_view name = object.At({"metadata", "name"}).AsString();
        if ((FindUid(name) != std::string::npos) != is_derived) continue;
        names_[std::string(object.At({"metadata", "uid"}).AsString())] =
            StrCat("<", KeyOf(collection, object), ">");
        if (collection == "jobs.batch.volcano.sh") NameClaims(object);
      }
    }
  }
  void NameClaims(const Json& job) {
    const std::string prefix = StrCat(job.At({"metadata", "name"}).AsString(), "-pvc-");
    size_t number = 0;
    for (const Json& volume : job.At({"spec", "volumes"}).items()) {
      const std::string claim(volume["volumeClaimName"].AsString());
      if (absl::StartsWith(claim, prefix)) names_[claim] = StrCat("<", prefix, number, ">");
      ++number;
    }
  }
  std::string Renamed(const std::string& text) const {
    std::string renamed = absl::StrReplaceAll(text, names_);
    // What is gone has a uid as well.
    for (size_t at = FindUid(renamed); at != std::string::npos; at = FindUid(renamed)) {
      renamed.replace(at, kUidSize, "<gone>");
    }
    return renamed;
  }
  void Rewrite(std::string_view key, Json* value) const {
    if (value->is_string()) {
      if (key == "resourceVersion") {
        *value = "VERSION";
      } else if (key == "runningDuration" || IsTime(value->AsString())) {
        *value = "TIME";
      } else {
        *value = Renamed(std::string(value->AsString()));
      }
    } else if (value->is_array()) {
      for (Json& item : value->MutableItems()) Rewrite("", &item);
    } else if (value->is_object()) {
      for (Json::Member& member : value->MutableMembers()) {
        member.first = Renamed(member.first);
        Rewrite(member.first, &member.second);
        if (member.first == "managedFields") SortByText(&member.second);
      }
    }
  }

  // They are kept in the order of their times.
  static void SortByText(Json* list) {
    std::sort(list->MutableItems().begin(), list->MutableItems().end(),
              [](const Json& a, const Json& b) { return a.Dump() < b.Dump(); });
  }

  static constexpr size_t kUidSize = 36;
  static bool IsUid(std::string_view text) {
    for (size_t i = 0; i < kUidSize; ++i) {
      const bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;
      const auto c = static_cast<unsigned char>(text[i]);
      if (is_dash ? c != '-' : std::isxdigit(c) == 0) return false;
    }
    return true;
  }
  static size_t FindUid(std::string_view text) {
    for (size_t at = 0; at + kUidSize <= text.size(); ++at) {
      if (IsUid(text.substr(at, kUidSize))) return at;
    }
    return std::string::npos;
  }
  // 2026-01-01T00:00:00Z
  static bool IsTime(std::string_view text) {
    return text.size() >= 20 && text.size() <= 30 && text[4] == '-' && text[7] == '-' &&
           text[10] == 'T' && text.back() == 'Z';
  }

  Replacements names_;
};

}  // namespace bth::test
