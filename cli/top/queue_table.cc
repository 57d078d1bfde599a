#include "cli/top/queue_table.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "cli/text/object.h"

namespace bth::cli {
namespace {

using types::Json;

const Json& AllocatedIn(const Json& queue) {
  return queue.At({"status", "allocated"});
}
const Json& DeservedIn(const Json& queue) {
  return queue.At({"spec", "deserved"});
}
const Json& GuaranteedIn(const Json& queue) {
  return queue.At({"spec", "guarantee", "resource"});
}
const Json& CapabilityIn(const Json& queue) {
  return queue.At({"spec", "capability"});
}

std::string AmountText(const Json& amounts, const std::string& resource) {
  const Json& amount = amounts[resource];
  if (amount.is_int()) return StrCat(amount.AsInt());
  return amount.is_string() ? std::string(amount.AsString()) : "-";
}

void AddQueueRow(const Json& queue, const std::string& resource, Table* table) {
  const std::string_view state = queue.At({"status", "state"}).AsString();
  table->rows.push_back({{std::string(NameIn(queue))},
                         {std::string(state.empty() ? "-" : state)},
                         {resource},
                         {AmountText(AllocatedIn(queue), resource)},
                         {AmountText(DeservedIn(queue), resource)},
                         {AmountText(GuaranteedIn(queue), resource)},
                         {AmountText(CapabilityIn(queue), resource)}});
}

}  // namespace

Table QueueResourceTable(const QueueFacts& facts) {
  Table table;
  table.columns = {{"QUEUE"},    {"STATE"},     {"RESOURCE"},  {"ALLOCATED"},
                   {"DESERVED"}, {"GUARANTEE"}, {"CAPABILITY"}};
  std::vector<const Json*> queues;
  for (const Json& queue : facts.queues) queues.push_back(&queue);
  std::sort(queues.begin(), queues.end(),
            [](const Json* a, const Json* b) { return NameIn(*a) < NameIn(*b); });
  for (const Json* queue : queues) {
    std::set<std::string> resources;
    for (const Json* amounts : {&AllocatedIn(*queue), &DeservedIn(*queue), &GuaranteedIn(*queue),
                                &CapabilityIn(*queue)}) {
      for (const Json::Member& member : amounts->members()) resources.insert(member.first);
    }
    for (const std::string& resource : resources) AddQueueRow(*queue, resource, &table);
    if (resources.empty()) AddQueueRow(*queue, "-", &table);
  }
  return table;
}

}  // namespace bth::cli
