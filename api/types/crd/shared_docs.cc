// Docs of the structs that several kinds consist of.
#include "api/types/crd/kind_docs.h"

namespace bth::types::crd {
namespace {

constexpr std::string_view kModes[] = {"hard", "soft"};

constexpr FieldDoc kTopologyFields[] = {
    {"mode",
     "hard waits for a domain that is close enough, soft prefers one.",
     {.words = kModes, .fallback = R"("hard")"}},
    {"highestTierAllowed",
     "Highest tier of the topology the pods may span, by number.",
     {.any_width = true, .min = 0}},
    {"highestTierName",
     "The same by the tier's name. Not together with the number.",
     {.length_max = kDnsSubdomainMax}},
};

constexpr FieldDoc kRequirementFields[] = {
    {"key", "The label.", {.required = true}},
    {"operator", "In, NotIn, Exists or DoesNotExist.", {.required = true}},
    {"values", "Values for In and NotIn.", {.list_type = "atomic"}},
};
constexpr FieldDocs kRequirementDocs = {kRequirementFields};

constexpr FieldDoc kLabelSelectorFields[] = {
    {"matchLabels", "Labels with the value each must have."},
    {"matchExpressions",
     "Further conditions on labels; all must hold.",
     {.list_type = "atomic"},
     &kRequirementDocs},
};

constexpr std::string_view kTruths[] = {"True", "False", "Unknown"};

constexpr FieldDoc kConditionFields[] = {
    {"type",
     "What the finding is about.",
     {.required = true,
      .length_max = 316,
      .pattern = R"(^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?)"
                 R"((([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$)"}},
    {"status", "The finding.", {.required = true, .words = kTruths}},
    {"reason",
     "One word for programs.",
     {.required = true,
      .length_min = 1,
      .length_max = 1024,
      .pattern = "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$"}},
    {"message", "A sentence for people.", {.required = true, .length_max = 32768}},
    {"observedGeneration", "The generation of the object it was made on.", {.min = 0}},
    {"lastTransitionTime", "When it changed last.", {.required = true}},
};

}  // namespace

const FieldDocs kTopologyDocs = {kTopologyFields};
const FieldDocs kLabelSelectorDocs = {kLabelSelectorFields};
const FieldDocs kConditionDocs = {kConditionFields, /*partial=*/true};

}  // namespace bth::types::crd
