// What roles of a job are to each other.
#pragma once

#include <bitset>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "api/model/task_topology.h"

namespace bth::plugins::task_topology {

// Empty, or what is wrong with the first name that is: the job has no such role, or a group or the
// order has it twice. Empty names are no names. `job` is "<ns>/<name>".
std::string Refusal(const model::TaskTopology& topology,
                    const std::function<bool(std::string_view role)>& has_role,
                    std::string_view job);

// Roles that some group names, by number; numbers are of the relations alone. Borrows nothing.
class RoleRelations {
 public:
  // `topology` has not been refused.
  explicit RoleRelations(const model::TaskTopology& topology);

  // -1: no group names it, or it has no name.
  int Find(std::string_view role) const;
  int roles() const { return static_cast<int>(roles_.size()); }

  // +1: together; -1: apart; 0: neither, or both.
  int Between(int a, int b) const {
    return static_cast<int>(at(a).together[index(b)]) - static_cast<int>(at(a).apart[index(b)]);
  }
  bool Apart(int a, int b) const { return at(a).apart[index(b)]; }
  bool AnyApart(int role) const { return at(role).apart.any(); }

  // Below zero: `a` comes before `b`, by the order that the job states, then by the strongest group
  // that names them.
  int Compare(int a, int b) const;

 private:
  static constexpr size_t kRolesMax = 64;  // Intake lets no more pass.
  struct Role {
    size_t order = 0;  // Higher ones come first; 0: not in the list.
    int priority = 0;
    std::bitset<kRolesMax> together;
    std::bitset<kRolesMax> apart;
  };

  static size_t index(int role) { return static_cast<size_t>(role); }
  const Role& at(int role) const { return roles_[index(role)]; }
  int NumberOf(const std::string& role);
  void Relate(const model::TaskTopology::Names& group, std::bitset<kRolesMax> Role::*relation,
              int alone, int among);

  std::vector<Role> roles_;
  absl::flat_hash_map<std::string, int> numbers_;
};

}  // namespace bth::plugins::task_topology
