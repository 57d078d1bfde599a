// What a definition says about a kind and its fields beyond their names and types: descriptions,
// limits, defaults. Names and types come from the field tables of api/types; a field is documented
// here once. Private to this folder's .cc files.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "api/types/codec.h"

namespace bth::types::crd {

// A rule in CEL about the value it stands at.
struct Rule {
  std::string_view rule;
  std::string_view message;
};

// What a value must be like. Everything left out says nothing.
struct Limits {
  bool required = false;
  bool nullable = false;
  bool open = false;             // Fields that no table knows are kept.
  bool any_width = false;        // An integer without int32 or int64.
  std::optional<int64_t> min{};  // Of a number.
  std::optional<int64_t> max{};
  std::optional<int64_t> length_min{};  // Of a string.
  std::optional<int64_t> length_max{};
  std::optional<int64_t> items_min{};
  std::string_view pattern{};
  std::span<const std::string_view> words{};  // The only values allowed.
  std::string_view fallback{};                // The default, as JSON.
  std::string_view list_type{};               // atomic, map
  std::string_view list_key{};                // Of list type map.
  std::string_view map_type{};                // atomic
  std::span<const Rule> rules{};
  std::string_view message{};  // Written as this message is, such as core.PodSpec, not as a table.
};

struct FieldDocs;

// One field of a table, or the elements of one: the path counts from the object that the table is
// about, "events", "guarantee.resource", "events[]", "data{}".
struct FieldDoc {
  std::string_view path;
  std::string_view text;  // Empty for elements, whose list says it.
  Limits limits{};
  const FieldDocs* below = nullptr;  // The docs of what the value (its elements) consists of.
};

struct FieldDocs {
  std::span<const FieldDoc> fields;
  bool partial =
      false;  // Fields without a FieldDoc are no part of the schema; else they are errors.
};

struct Column {
  std::string_view name;
  std::string_view type;
  std::string_view path;
  int priority = 0;
};

enum class Subresources : uint8_t { kAbsent, kEmpty, kStatus };

struct KindDoc {
  const codec_internal::Resource& (*resource)();
  std::string_view singular;
  std::span<const std::string_view> short_names;
  Subresources subresources;
  std::span<const Column> columns;
  std::string_view text;
  const FieldDocs* fields;
};

// In the order of the files' names.
std::span<const KindDoc> SchedulingKinds();
std::span<const KindDoc> BatchKinds();
std::span<const KindDoc> ClusterKinds();

// Of a NetworkTopology, in the words of admission.
inline constexpr Rule kTopologyRules[] = {
    {"!(has(self.highestTierAllowed) && has(self.highestTierName) && self.highestTierName != '')",
     "must not specify 'highestTierAllowed' and 'highestTierName' in networkTopology "
     "simultaneously"},
};

// Tables that several kinds use.
extern const FieldDocs kTopologyDocs;       // NetworkTopology
extern const FieldDocs kLabelSelectorDocs;  // LabelSelector
extern const FieldDocs kConditionDocs;      // Condition, as the conventions of Kubernetes have it

inline constexpr std::string_view kDnsSubdomain =
    R"(^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$)";
inline constexpr std::string_view kDnsLabel = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$";
inline constexpr int64_t kDnsSubdomainMax = 253;
inline constexpr int64_t kDnsLabelMax = 63;

}  // namespace bth::types::crd
