#include "admission/webhooks/cluster_feed.h"

#include "tests/support/api_bed.h"

namespace bth::admission {
namespace {

constexpr char kQueues[] = "/apis/scheduling.volcano.sh/v1beta1/queues";

struct FeedBed : test::ApiBed {
  explicit FeedBed(ClusterFeed::Options options = {})
      : feed(std::make_unique<ClusterFeed>(*api, rng, metrics, std::move(options))) {}
  ~FeedBed() { feed.reset(); }
  void MakeQueue(const std::string& name, const std::string& parent) {
    Create(kQueues,
           StrCat(R"({"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"Queue",)",
                  R"("metadata":{"name":")", name, R"("},"spec":{"parent":")", parent, "\"}}"));
  }

  Rng rng{1};
  metrics::Registry registry;
  metrics::AdmissionMetrics metrics{registry, {}};
  std::unique_ptr<ClusterFeed> feed;
};

TEST_CASE("cluster feed: queues and namespaces are known as they change", "[webhooks][feed]") {
  FeedBed bed;
  bed.MakeQueue("p", "root");
  bed.Create(
      "/api/v1/namespaces",
      R"({"metadata":{"name":"team","annotations":{"scheduling.volcano.sh/queue-name":"p"}}})");
  CHECK_FALSE(bed.feed->AllSynced());
  bed.feed->Start();
  bed.Settle();
  CHECK(bed.feed->AllSynced());
  const ClusterView& view = bed.feed->view();
  CHECK(view.FindQueue("p") != nullptr);
  CHECK(view.NamespaceAnnotation("team", "scheduling.volcano.sh/queue-name") == "p");
  bed.MakeQueue("c", "p");
  bed.Settle();
  CHECK(view.ChildrenOf("p").size() == 1);
  REQUIRE(bed.Call("PATCH", StrCat(kQueues, "/c"), R"({"spec":{"parent":"root"}})",
                   "application/merge-patch+json")
              .code == 200);
  bed.Settle();
  CHECK(view.ChildrenOf("p").empty());
  CHECK(view.ChildrenOf("root").size() == 2);
  REQUIRE(bed.Call("DELETE", StrCat(kQueues, "/p")).code == 200);
  REQUIRE(bed.Call("PATCH", "/api/v1/namespaces/team",
                   R"({"metadata":{"annotations":{"scheduling.volcano.sh/queue-name":null}}})",
                   "application/merge-patch+json")
              .code == 200);
  bed.Settle();
  CHECK(view.FindQueue("p") == nullptr);
  CHECK(view.namespaces() == 0);
}

TEST_CASE("cluster feed: namespaces and templates are not asked for where nobody needs them",
          "[webhooks][feed]") {
  ClusterFeed::Options options;
  options.namespaces = false;
  FeedBed bed(std::move(options));
  bool asked = false;
  bed.line->on_request = [&asked](const net::Request& request) {
    asked = asked || StrContains(request.target, "/namespaces") ||
            StrContains(request.target, "/jobtemplates");
  };
  bed.feed->Start();
  bed.Settle();
  CHECK(bed.feed->AllSynced());
  CHECK_FALSE(asked);
}

TEST_CASE("cluster feed: queues of job templates are known as they change", "[webhooks][feed]") {
  constexpr char kTemplates[] = "/apis/flow.volcano.sh/v1alpha1/namespaces/default/jobtemplates";
  ClusterFeed::Options options;
  options.job_templates = true;
  FeedBed bed(std::move(options));
  const auto named = [](const std::string& name) {
    return StrCat(
        R"({"apiVersion":"flow.volcano.sh/v1alpha1","kind":"JobTemplate","metadata":)",
        R"({"name":")", name, R"("},"spec":{"queue":"a","tasks":[{"name":"t",)",
        R"("replicas":1,"template":{"spec":{"containers":[{"name":"c","image":"i"}]}}}]}})");
  };
  bed.Create(kTemplates, named("first"));
  bed.feed->Start();
  bed.Settle();
  CHECK(bed.feed->AllSynced());
  const ClusterView& view = bed.feed->view();
  CHECK(view.JobTemplateQueue("default", "first") == "a");
  bed.Create(kTemplates, named("second"));
  REQUIRE(bed.Call("PATCH", StrCat(kTemplates, "/first"), R"({"spec":{"queue":"b"}})",
                   "application/merge-patch+json")
              .code == 200);
  bed.Settle();
  CHECK(view.JobTemplateQueue("default", "first") == "b");
  CHECK(view.JobTemplateQueue("default", "second") == "a");
  REQUIRE(bed.Call("DELETE", StrCat(kTemplates, "/first")).code == 200);
  bed.Settle();
  CHECK_FALSE(view.JobTemplateQueue("default", "first").has_value());
}

TEST_CASE("cluster feed: a server without job templates lacks nothing", "[webhooks][feed]") {
  ClusterFeed::Options options;
  options.job_templates = true;
  FeedBed bed(std::move(options));
  bed.line->script = [](const net::Request& request) -> std::optional<test::Fault> {
    if (!StrContains(request.target, "/flow.volcano.sh/")) return std::nullopt;
    return test::Fault{.code = 404, .reason = "NotFound"};
  };
  bed.feed->Start();
  bed.Settle();
  CHECK(bed.feed->AllSynced());
  CHECK(bed.feed->Missing().empty());
}

TEST_CASE("cluster feed: what is not listed yet is named", "[webhooks][feed]") {
  FeedBed bed;
  bed.line->script = [](const net::Request& request) -> std::optional<test::Fault> {
    if (request.target.find("/queues") == std::string::npos) return std::nullopt;
    return test::Fault{.code = 403, .reason = "Forbidden"};
  };
  bed.feed->Start();
  bed.Settle();
  CHECK(bed.feed->Unsynced() == std::vector<std::string>{"queues.scheduling.volcano.sh"});
}

}  // namespace
}  // namespace bth::admission
