#include "controllers/hyper_node/label_discovery.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/match.h"
#include "base/rng.h"
#include "base/strings.h"
#include "controllers/core/seed.h"

namespace bth::controllers {
namespace {

using types::HyperNode;

constexpr int kNameAttemptsMax = 20;
constexpr int kDomainSuffixLength = 5;
// No vowels and nothing that is easily misread.
constexpr std::string_view kSuffixCharacters = "bcdfghjklmnpqrstvwxz2456789";

using LabelValue = std::pair<std::string, std::string>;  // Key and value.

template <typename List>
void SortByName(List& list) {
  std::sort(list.begin(), list.end(),
            [](const auto& a, const auto& b) { return a->meta.name < b->meta.name; });
}

// Gives each label value its HyperNode's name.
class DomainNames {
 public:
  // `known` is in order of name.
  explicit DomainNames(const HyperNodeList& known) {
    for (const HyperNodePtr& object : known) {
      taken_.insert(object->meta.name);
      if (object->meta.Label(kTopologySourceLabel) != conf::kLabelSource) continue;
      for (const auto& [key, value] : object->meta.labels) {
        if (key != kTopologySourceLabel) existing_[{key, value}].push_back(object->meta.name);
      }
    }
  }

  absl::StatusOr<std::string> For(const LabelValue& label, const std::string& prefix) {
    for (const std::string& name : existing_[label]) {
      if (absl::StartsWith(name, prefix) && used_.insert(name).second) return name;
    }
    Rng rng(SeedOf(StrCat(prefix, "/", label.first, "=", label.second)));
    for (int attempt = 0; attempt < kNameAttemptsMax; ++attempt) {
      std::string name = prefix;
      for (int i = 0; i < kDomainSuffixLength; ++i) {
        name += kSuffixCharacters[rng.Below(kSuffixCharacters.size())];
      }
      if (taken_.insert(name).second) return name;
    }
    return absl::ResourceExhaustedError(
        StrCat("unable to get unique hyperNodeName after ", kNameAttemptsMax,
               " attempts: remove HyperNodes that begin with ", prefix));
  }

 private:
  std::set<std::string> taken_;
  std::set<std::string> used_;
  std::map<LabelValue, std::vector<std::string>> existing_;
};

// A HyperNode in the making.
struct Draft {
  std::string name;
  int32_t tier = 0;
  std::set<std::pair<std::string, std::string>> members;  // Type and name.
};

HyperNode Finish(const LabelValue& label, Draft&& draft) {
  HyperNode made;
  made.meta.name = std::move(draft.name);
  made.meta.labels.Set(label.first, label.second);
  made.tier = draft.tier;
  made.tier_name = label.first;
  for (const auto& [type, name] : draft.members) {
    types::HyperNodeMember member;
    member.type = type;
    member.exact_name = name;
    made.members.push_back(std::move(member));
  }
  return made;
}

}  // namespace

absl::StatusOr<std::vector<HyperNode>> DiscoverByLabels(
    const std::vector<conf::TopologyType>& types, NodeList nodes, HyperNodeList known) {
  SortByName(nodes);
  SortByName(known);
  DomainNames names(known);
  std::map<LabelValue, Draft> drafts;
  for (const auto& node : nodes) {
    for (const conf::TopologyType& type : types) {
      std::pair<std::string, std::string> member = {"Node", node->meta.name};
      for (size_t i = 0; i < type.labels.size(); ++i) {
        const std::string* value = node->meta.labels.Find(type.labels[i]);
        if (value == nullptr) break;
        const auto [draft, is_new] = drafts.try_emplace({type.labels[i], *value});
        if (is_new) {
          draft->second.tier = static_cast<int32_t>(i + 1);
          const std::string prefix =
              StrCat("hypernode-", CleanTypeName(type.name), "-tier", i + 1, "-");
          absl::StatusOr<std::string> name = names.For(draft->first, prefix);
          if (!name.ok()) return name.status();
          draft->second.name = *std::move(name);
        }
        draft->second.members.insert(member);
        member = {"HyperNode", draft->second.name};
      }
    }
  }
  std::vector<HyperNode> made;
  for (auto& [label, draft] : drafts) made.push_back(Finish(label, std::move(draft)));
  return made;
}

std::set<std::string> LabelsOf(const std::vector<conf::TopologyType>& types) {
  std::set<std::string> labels;
  for (const conf::TopologyType& type : types) {
    labels.insert(type.labels.begin(), type.labels.end());
  }
  return labels;
}

bool HasAnyLabel(const types::Node& node, const std::set<std::string>& labels) {
  return std::any_of(labels.begin(), labels.end(), [&node](const std::string& label) {
    return node.meta.labels.Contains(label);
  });
}

bool LabelsDiffer(const types::Node& before, const types::Node& after,
                  const std::set<std::string>& labels) {
  return std::any_of(labels.begin(), labels.end(), [&](const std::string& label) {
    const std::string* old = before.meta.labels.Find(label);
    const std::string* now = after.meta.labels.Find(label);
    return (old == nullptr) != (now == nullptr) || (old != nullptr && *old != *now);
  });
}

std::string CleanTypeName(std::string_view type) {
  std::string clean;
  for (const char c : type) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xc0) == 0x80) continue;  // One "-" for a character, however many bytes it has.
    if (c >= 'A' && c <= 'Z') {
      clean += static_cast<char>(c - 'A' + 'a');
    } else {
      const bool kept = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-';
      clean += kept ? c : '-';
    }
  }
  return clean;
}

}  // namespace bth::controllers
