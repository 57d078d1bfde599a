#include <map>
#include <utility>

#include "api/types/json.h"
#include "api/types/pod_group.h"
#include "api/types/queue.h"
#include "base/strings.h"
#include "cli/explain/queues_text.h"
#include "cli/top/informed_view.h"
#include "cli/top/queue_table.h"
#include "cli/top/view.h"

namespace bth::cli {
namespace {

using types::Json;

class TopQueueHandler final : public client::InformerHandler<types::Queue> {
 public:
  void OnAdd(types::Queue&& queue) override { Put(queue); }
  void OnUpdate(types::Queue&& queue) override { Put(queue); }
  void OnDelete(const client::ObjectKey& key) override { queues_.erase(key.name); }

  const std::map<std::string, Json>& queues() const { return queues_; }

 private:
  void Put(const types::Queue& queue) {
    const absl::StatusOr<Json> json = Json::Parse(types::Encode(queue));
    if (json.ok()) queues_.insert_or_assign(queue.meta.name, *json);
  }
  std::map<std::string, Json> queues_;
};

// Of a pod group its queue and its phase are kept.
class TopGroupHandler final : public client::InformerHandler<types::PodGroup> {
 public:
  void OnAdd(types::PodGroup&& group) override { Put(group); }
  void OnUpdate(types::PodGroup&& group) override { Put(group); }
  void OnDelete(const client::ObjectKey& key) override {
    groups_.erase(StrCat(key.namespace_name, "/", key.name));
  }

  std::vector<Json> AsJson() const {
    std::vector<Json> out;
    out.reserve(groups_.size());
    for (const auto& [key, group] : groups_) {
      out.push_back(Json::MakeObject({{"spec", Json::MakeObject({{"queue", group.first}})},
                                      {"status", Json::MakeObject({{"phase", group.second}})}}));
    }
    return out;
  }

 private:
  void Put(const types::PodGroup& group) {
    const std::string queue = group.spec.queue.empty() ? "default" : group.spec.queue;
    groups_.insert_or_assign(StrCat(group.meta.ns, "/", group.meta.name),
                             std::pair(queue, group.status.phase));
  }
  std::map<std::string, std::pair<std::string, std::string>> groups_;
};

class QueuesView final : public InformedView<types::Queue, types::PodGroup> {
 public:
  QueuesView(const TopSources& sources, const TopEars& ears) {
    Inform(sources, ears, queues_, groups_);
  }
  ~QueuesView() override { EndInforming(); }

  std::string Text(const Terminal& terminal) const override {
    QueueFacts facts;
    for (const auto& [name, queue] : queues_.queues()) facts.queues.push_back(queue);
    if (facts.queues.empty()) return "No resources found\n";
    if (terminal.width == 0) {
      std::string out;
      PrintTable(QueueResourceTable(facts), TableStyle(), out);
      return out;
    }
    facts.pod_groups = groups_.AsJson();
    const absl::StatusOr<std::string> text = ExplainQueuesText(facts, "", terminal);
    return text.ok() ? *text : StrCat(text.status().message(), "\n");
  }

 private:
  TopQueueHandler queues_;
  TopGroupHandler groups_;
};

}  // namespace

std::unique_ptr<TopView> MakeQueuesView(const TopSources& sources, const TopEars& ears) {
  return std::make_unique<QueuesView>(sources, ears);
}

}  // namespace bth::cli
