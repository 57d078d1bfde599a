// Keeps a ClusterView equal to the cluster, by watching it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "admission/webhooks/cluster_view.h"
#include "api/types/job_flow.h"
#include "api/types/namespace.h"
#include "api/types/queue.h"
#include "base/rng.h"
#include "client/api_client.h"
#include "client/informer.h"
#include "client/informer_report.h"
#include "metrics/admission_metrics.h"

namespace bth::admission {

// A watch that breaks resumes by itself; nothing is listed anew without need. Lifetime: `api`,
// `rng` and `metrics` outlive it. Thread: the executor's.
class ClusterFeed final {
 public:
  // Namespaces and job templates are read only where somebody asks for them: in many installations
  // the webhooks' role does not allow it.
  struct Options {
    bool namespaces = true;
    bool job_templates = false;
    std::string role = "deploy/admission/rbac.yaml";  // For messages.
  };
  ClusterFeed(client::ApiClient& api, Rng& rng, metrics::AdmissionMetrics& metrics,
              Options options);
  ClusterFeed(const ClusterFeed&) = delete;

  void Start() { informers_.StartAll(); }
  const ClusterView& view() const { return view_; }
  bool AllSynced() const { return informers_.AllSynced(); }
  std::vector<std::string> Unsynced() const { return informers_.Unsynced(); }
  // Kinds that the server does not know, without job templates: where there are none, no flow makes
  // a job of one.
  std::vector<std::string> Missing() const;
  net::Awaitable<absl::Status> WaitForSync(absl::Duration timeout) {
    return informers_.WaitForSync(timeout);
  }

 private:
  class Queues final : public client::InformerHandler<types::Queue> {
   public:
    explicit Queues(ClusterFeed& feed) : feed_(feed) {}
    void OnAdd(types::Queue&& queue) override { feed_.view_.PutQueue(std::move(queue)); }
    void OnUpdate(types::Queue&& queue) override { feed_.view_.PutQueue(std::move(queue)); }
    void OnDelete(const client::ObjectKey& key) override { feed_.view_.RemoveQueue(key.name); }
    void OnBatchEnd() override { feed_.Publish(); }

   private:
    ClusterFeed& feed_;
  };
  class Namespaces final : public client::InformerHandler<types::Namespace> {
   public:
    explicit Namespaces(ClusterFeed& feed) : feed_(feed) {}
    void OnAdd(types::Namespace&& ns) override { feed_.view_.PutNamespace(ns.meta); }
    void OnUpdate(types::Namespace&& ns) override { feed_.view_.PutNamespace(ns.meta); }
    void OnDelete(const client::ObjectKey& key) override { feed_.view_.RemoveNamespace(key.name); }
    void OnBatchEnd() override { feed_.Publish(); }

   private:
    ClusterFeed& feed_;
  };

  class JobTemplates final : public client::InformerHandler<types::JobTemplate> {
   public:
    explicit JobTemplates(ClusterFeed& feed) : feed_(feed) {}
    void OnAdd(types::JobTemplate&& job_template) override { Put(job_template); }
    void OnUpdate(types::JobTemplate&& job_template) override { Put(job_template); }
    void OnDelete(const client::ObjectKey& key) override {
      feed_.view_.RemoveJobTemplate(key.namespace_name, key.name);
    }

   private:
    void Put(const types::JobTemplate& job_template) {
      feed_.view_.PutJobTemplate(job_template.meta, job_template.spec.view.queue);
    }

    ClusterFeed& feed_;
  };

  void Publish() { metrics_.SetKnown(view_.queues(), view_.namespaces()); }

  metrics::AdmissionMetrics& metrics_;
  client::InformerReport report_;
  ClusterView view_;
  Queues queue_handler_{*this};
  Namespaces namespace_handler_{*this};
  JobTemplates template_handler_{*this};
  client::Informer<types::Queue> queues_;
  client::Informer<types::Namespace> namespaces_;
  std::optional<client::Informer<types::JobTemplate>> templates_;  // Nothing: not followed.
  client::InformerSet informers_;
};

}  // namespace bth::admission
