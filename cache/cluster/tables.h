// All tables and books of a mirror, wired.
#pragma once

#include "base/clock.h"
#include "cache/cluster/assumptions.h"
#include "cache/cluster/budget_book.h"
#include "cache/cluster/chip_book.h"
#include "cache/cluster/default_spreads.h"
#include "cache/cluster/device_book.h"
#include "cache/cluster/device_claim_mirror.h"
#include "cache/cluster/device_serving.h"
#include "cache/cluster/draft.h"
#include "cache/cluster/hyper_node_book.h"
#include "cache/cluster/job_table.h"
#include "cache/cluster/mount_book.h"
#include "cache/cluster/node_table.h"
#include "cache/cluster/numa_book.h"
#include "cache/cluster/pod_label_book.h"
#include "cache/cluster/pod_table.h"
#include "cache/cluster/queue_book.h"
#include "cache/cluster/selector_book.h"
#include "cache/cluster/shard_book.h"
#include "cache/cluster/storage_mirror.h"
#include "cache/cluster/vocabulary.h"

namespace bth::cache {

// They know each other by reference, so they stay where they are, and go together. Each is built
// after those that it names.
struct Tables {
  // Both outlive them.
  Tables(const Clock& clock, Vocabulary& vocabulary, const ShardOptions& shard = {})
      : shards(shard),
        mounts(storage),
        devices(draft),
        nodes(draft, vocabulary, shards),
        numa(draft, nodes),
        jobs(clock, draft, vocabulary, queues),
        spreads(draft, selectors, pod_labels, vocabulary.symbols()),
        pods(clock, draft, vocabulary,
             {nodes, jobs, pod_labels, mounts, devices, budgets, spreads}),
        assumptions(clock, draft, vocabulary, {pods, nodes, pod_labels, devices}) {
    draft.now.shard_mode = shards.mode();
  }
  Tables(const Tables&) = delete;
  Tables& operator=(const Tables&) = delete;

  Draft draft;
  ShardBook shards;
  StorageMirror storage;
  DeviceClaimMirror device_claims;
  DeviceServing device_serving;
  SelectorBook selectors;
  QueueBook queues;
  BudgetBook budgets;
  PodLabelBook pod_labels;
  MountBook mounts;
  DeviceBook devices;
  ChipBook chips;
  NodeTable nodes;
  HyperNodeBook hyper_nodes;
  NumaBook numa;
  JobTable jobs;
  DefaultSpreads spreads;
  PodTable pods;
  Assumptions assumptions;
};

}  // namespace bth::cache
