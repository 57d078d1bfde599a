// The eleven webhooks: path, what they are asked about, the rule that answers.
#pragma once

#include <span>
#include <string_view>

#include "admission/rules/known.h"
#include "admission/rules/request.h"

namespace bth::admission {

struct Webhook {
  std::string_view path;  // "/jobs/mutate"
  bool mutating = false;
  std::string_view name;  // "mutatejob.volcano.sh", as the chart names it
  std::string_view group, version, resource;
  std::vector<std::string_view> operations;  // Of the registration: CREATE, UPDATE, DELETE.
  // The request is of this resource; operations the rule does not know it refuses itself.
  Verdict (*rule)(const Request& request, const Settings& settings, const Known& known);
  // Updates may move an object to another queue, and are asked about with --check-queue-access
  // only.
  bool asks_about_moves = false;
};

// All of them, in the order of docs and flags. The table is paths.cc.
std::span<const Webhook> Webhooks();
// Null: no such path.
const Webhook* FindWebhook(std::string_view path);

// Checks request.resource (`expect resource to be {group version resource}`), then asks the rule.
// Never throws; a document of a wrong shape is refused with what is wrong where.
Verdict Review(const Webhook& webhook, const Request& request, const Settings& settings,
               const Known& known);

}  // namespace bth::admission
