#include "admission/webhooks/cluster_view.h"

#include "tests/support/catch.h"

namespace bth::admission {
namespace {

types::Queue NamedQueueRow(std::string name, std::string parent = "") {
  types::Queue queue;
  queue.meta.name = std::move(name);
  queue.spec.parent = std::move(parent);
  return queue;
}

std::vector<std::string> ChildNames(const ClusterView& view, std::string_view parent) {
  std::vector<std::string> names;
  for (const types::Queue* child : view.ChildrenOf(parent)) names.push_back(child->meta.name);
  return names;
}

TEST_CASE("cluster view: children follow their parents, by name", "[webhooks][view]") {
  ClusterView view;
  view.PutQueue(NamedQueueRow("b", "p"));
  view.PutQueue(NamedQueueRow("a", "p"));
  view.PutQueue(NamedQueueRow("alone"));
  CHECK(ChildNames(view, "p") == std::vector<std::string>{"a", "b"});
  CHECK(ChildNames(view, "").empty());
  view.PutQueue(NamedQueueRow("a", "other"));
  CHECK(ChildNames(view, "p") == std::vector<std::string>{"b"});
  CHECK(ChildNames(view, "other") == std::vector<std::string>{"a"});
  view.RemoveQueue("b");
  view.RemoveQueue("never-there");
  CHECK(ChildNames(view, "p").empty());
  CHECK(view.FindQueue("b") == nullptr);
  REQUIRE(view.FindQueue("a") != nullptr);
  CHECK(view.FindQueue("a")->spec.parent == "other");
  CHECK(view.queues() == 2);
}

TEST_CASE("cluster view: queues are visited in order until told to stop", "[webhooks][view]") {
  ClusterView view;
  for (const char* name : {"c", "a", "b"}) view.PutQueue(NamedQueueRow(name));
  std::string seen;
  view.ForEachQueue([&](const types::Queue& queue) {
    seen += queue.meta.name;
    return queue.meta.name != "b";
  });
  CHECK(seen == "ab");
}

TEST_CASE("cluster view: of namespaces only what rules ask for is kept", "[webhooks][view]") {
  ClusterView view;
  types::ObjectMeta meta;
  meta.name = "team";
  meta.annotations.Set("scheduling.volcano.sh/queue-name", "q");
  meta.annotations.Set("volcano.sh/x", "");
  meta.annotations.Set("notvolcano.sh/x", "1");
  meta.annotations.Set("kubectl.kubernetes.io/last-applied-configuration", std::string(5000, 'x'));
  view.PutNamespace(meta);
  CHECK(view.NamespaceAnnotation("team", "scheduling.volcano.sh/queue-name") == "q");
  CHECK(view.NamespaceAnnotation("team", "volcano.sh/x") == "");
  CHECK_FALSE(view.NamespaceAnnotation("team", "notvolcano.sh/x").has_value());
  CHECK_FALSE(view.NamespaceAnnotation("team", "kubectl.kubernetes.io/last-applied-configuration")
                  .has_value());
  CHECK_FALSE(view.NamespaceAnnotation("other", "volcano.sh/x").has_value());
  meta.annotations.clear();
  view.PutNamespace(meta);
  CHECK(view.namespaces() == 0);
}

TEST_CASE("cluster view: job templates are known by namespace and name", "[webhooks][view]") {
  ClusterView view;
  types::ObjectMeta meta;
  meta.ns = "team";
  meta.name = "t";
  view.PutJobTemplate(meta, "a");
  CHECK(view.JobTemplateQueue("team", "t") == "a");
  CHECK_FALSE(view.JobTemplateQueue("other", "t").has_value());
  view.PutJobTemplate(meta, "b");
  CHECK(view.JobTemplateQueue("team", "t") == "b");
  view.RemoveJobTemplate("other", "t");
  CHECK(view.JobTemplateQueue("team", "t") == "b");
  view.RemoveJobTemplate("team", "t");
  CHECK_FALSE(view.JobTemplateQueue("team", "t").has_value());
}

}  // namespace
}  // namespace bth::admission
