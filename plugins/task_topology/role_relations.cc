#include "plugins/task_topology/role_relations.h"

#include <algorithm>
#include <set>

#include "base/strings.h"

namespace bth::plugins::task_topology {
namespace {

using Names = model::TaskTopology::Names;

// How strongly a group ties a role, by what it is and whether it names others.
constexpr int kSelfAnti = 4;
constexpr int kInterAffinity = 3;
constexpr int kSelfAffinity = 2;
constexpr int kInterAnti = 1;

}  // namespace

std::string Refusal(const model::TaskTopology& topology,
                    const std::function<bool(std::string_view role)>& has_role,
                    std::string_view job) {
  const auto check = [&](const Names& names) -> std::string {
    std::set<std::string_view> seen;
    for (const std::string& name : names) {
      if (name.empty()) continue;
      if (!has_role(name)) return StrCat("task ", name, " do not exist in job <", job, ">");
      if (!seen.insert(name).second) {
        return StrCat("task ", name, " is duplicate in job <", job, ">");
      }
    }
    return "";
  };
  if (!topology.unusable.empty()) return topology.unusable;
  for (const auto* groups : {&topology.affinity, &topology.anti_affinity}) {
    for (const Names& group : *groups) {
      if (std::string wrong = check(group); !wrong.empty()) return wrong;
    }
  }
  return check(topology.order);
}

RoleRelations::RoleRelations(const model::TaskTopology& topology) {
  for (const Names& group : topology.affinity) {
    Relate(group, &Role::together, kSelfAffinity, kInterAffinity);
  }
  for (const Names& group : topology.anti_affinity) {
    Relate(group, &Role::apart, kSelfAnti, kInterAnti);
  }
  for (size_t i = 0; i < topology.order.size(); ++i) {
    const auto known = numbers_.find(topology.order[i]);
    if (known != numbers_.end()) roles_[index(known->second)].order = topology.order.size() - i;
  }
}

int RoleRelations::NumberOf(const std::string& role) {
  const auto [known, fresh] = numbers_.try_emplace(role, roles());
  if (fresh) roles_.emplace_back();
  return known->second;
}

// A name alone is tied to itself, several ones each to the others.
void RoleRelations::Relate(const Names& group, std::bitset<kRolesMax> Role::*relation, int alone,
                           int among) {
  std::vector<int> members;
  for (const std::string& name : group) members.push_back(NumberOf(name));
  std::sort(members.begin(), members.end());
  members.erase(std::unique(members.begin(), members.end()), members.end());
  const bool single = group.size() == 1;
  for (int a : members) {
    Role& role = roles_[index(a)];
    role.priority = std::max(role.priority, single ? alone : among);
    for (int b : members) {
      if (single || a != b) (role.*relation).set(index(b));
    }
  }
}

int RoleRelations::Find(std::string_view role) const {
  if (role.empty()) return -1;
  const auto known = numbers_.find(ToAbsl(role));
  return known == numbers_.end() ? -1 : known->second;
}

int RoleRelations::Compare(int a, int b) const {
  const Role& left = at(a);
  const Role& right = at(b);
  if (left.order != right.order) return left.order > right.order ? -1 : 1;
  if (left.priority != right.priority) return left.priority > right.priority ? -1 : 1;
  return 0;
}

}  // namespace bth::plugins::task_topology
