#include "api/types/node.h"
#include "api/types/pod.h"
#include "cli/print/table.h"
#include "cli/top/informed_view.h"
#include "cli/top/node_load.h"
#include "cli/top/view.h"

namespace bth::cli {
namespace {

class TopNodeHandler final : public client::InformerHandler<types::Node> {
 public:
  explicit TopNodeHandler(NodeLoads& loads) : loads_(loads) {}
  void OnAdd(types::Node&& node) override { loads_.Put(node); }
  void OnUpdate(types::Node&& node) override { loads_.Put(node); }
  void OnDelete(const client::ObjectKey& key) override { loads_.RemoveNode(key.name); }

 private:
  NodeLoads& loads_;
};

class TopPodHandler final : public client::InformerHandler<types::Pod> {
 public:
  explicit TopPodHandler(NodeLoads& loads) : loads_(loads) {}
  void OnAdd(types::Pod&& pod) override { loads_.Put(pod); }
  void OnUpdate(types::Pod&& pod) override { loads_.Put(pod); }
  void OnDelete(const client::ObjectKey& key) override { loads_.RemovePod(key); }

 private:
  NodeLoads& loads_;
};

class NodesView final : public InformedView<types::Node, types::Pod> {
 public:
  NodesView(const TopSources& sources, const TopEars& ears) : nodes_(loads_), pods_(loads_) {
    Inform(sources, ears, nodes_, pods_);
  }
  ~NodesView() override { EndInforming(); }

  std::string Text(const Terminal& terminal) const override {
    const Table table = NodesTable(loads_.Loads(), terminal);
    if (table.rows.empty()) return "No resources found\n";
    TableStyle style;
    style.colour = terminal.colour;
    style.utf8 = terminal.utf8;
    style.width = terminal.width;
    std::string out;
    PrintTable(table, style, out);
    return out;
  }

 private:
  NodeLoads loads_;
  TopNodeHandler nodes_;
  TopPodHandler pods_;
};

}  // namespace

std::unique_ptr<TopView> MakeNodesView(const TopSources& sources, const TopEars& ears) {
  return std::make_unique<NodesView>(sources, ears);
}

}  // namespace bth::cli
