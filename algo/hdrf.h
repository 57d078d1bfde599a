// Hierarchical dominant-resource fairness: a tree of queues with jobs as leaves.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "algo/hdrf_sums.h"
#include "algo/resource_algebra.h"
#include "api/model/job.h"

namespace bth::algo {

// Shares flow up from the jobs: a child that is not saturated counts as much as the poorest such
// sibling, so that a rich leaf does not make its whole branch look rich.
//
// Rows are recomputed when somebody compares and only where something changed. A result depends
// on the present queues and amounts alone, never on how they came about: trying and taking back
// restores it exactly, and a tree that was changed answers as one made anew, unless weights
// contradict each other.
//
// A change of one job of n costs O(log² n), in the queues above it as well, unless it changes which
// share is the poorest of its queue, or is most of what that holds (HdrfSums), or which dimensions
// are used up: standings by the latest few sets of these are kept, as tries go back and forth.
// Thread: one.
class HdrfTree {
 public:
  using NodeIndex = uint32_t;
  // The nodes from the root down to a queue.
  using Path = std::vector<NodeIndex>;

  // Paths longer than this are cut off.
  static constexpr size_t kDepthMax = 64;

  // `total`: what the cluster has.
  explicit HdrfTree(const ResourceVec& total);

  // The path of a queue by its annotations, such as "root/eng/dev" and "100/50/25"; element 0 is
  // the root on both sides. New elements get their weight here; missing, unreadable and smaller
  // weights are 1, and known elements keep theirs. Elements without jobs matter to nobody.
  Path AddQueue(std::string_view hierarchy, std::string_view weights);
  // Some element was given another weight than the one that it keeps.
  bool has_contradictions() const { return has_contradictions_; }
  // Elements of paths, those included that no job is below any more.
  size_t elements() const { return children_.size(); }

  // A leaf below the last element of `path`. `request` is what all tasks of the job ask for. Jobs
  // of one queue are added up from the oldest, those without facts in order of their indexes.
  NodeIndex AddJob(const Path& path, const ResourceVec& allocated, const ResourceVec& request,
                   std::shared_ptr<const model::JobFacts> facts = nullptr);
  // Its index may be given out again.
  void RemoveJob(NodeIndex job);

  // Adds to what the job holds; negative amounts take away.
  void Change(NodeIndex job, const ResourceVec& by);
  // What the job holds and asks for from now on. Cost: nothing when that is what it was.
  void SetJob(NodeIndex job, const ResourceVec& allocated, const ResourceVec& request);
  void SetTotal(const ResourceVec& total);

  // Negative: the left queue is served first.
  int Compare(const Path& left, const Path& right);

  // For explanations and tests; brought up to date first.
  struct Standing {
    double share = 0;
    double weight = 1;
    bool saturated = false;
  };
  Standing StandingOf(NodeIndex node);
  // Jobs, queues and runs of children that were looked at so far, for tests.
  uint64_t work() const { return work_; }

 private:
  using Amounts = HdrfSums::Amounts;
  static constexpr uint32_t kUnlinked = std::numeric_limits<uint32_t>::max();
  static constexpr size_t kViewsMax = 4;

  struct Node {
    NodeIndex parent = 0;
    uint32_t position = 0;  // Among the children of the parent, as of their sums.
    bool is_job = false;
    double weight = 1;
    std::vector<NodeIndex> children;  // Queues by name, then jobs by age.
    std::string name;       // Of an element of a path; its index is higher than its parent's.
    ResourceVec allocated;  // Of a job.
    ResourceVec request;    // Of a job.
    std::shared_ptr<const model::JobFacts> facts;  // Of a job; may be null.
  };
  struct Row {
    double share = 0;
    bool saturated = false;
    bool stale = false;
    std::unique_ptr<HdrfSums> sums;  // Of a queue; null: its children are others now.
  };
  // Standings while the cluster is not used up in some dimensions.
  struct View {
    DimMask demanding = 0;
    std::vector<Row> rows;  // By node.
    std::vector<NodeIndex> stale;
  };

  NodeIndex ChildOf(NodeIndex parent, std::string_view name, double weight);
  bool ComesBefore(NodeIndex a, NodeIndex b) const;
  void Link(NodeIndex node);
  void Unlink(NodeIndex node);
  void Reshape(NodeIndex queue);
  void MarkStale(NodeIndex node);
  void MarkStale(View& view, NodeIndex node) const;
  void UpdateDemanding();
  View& FreshView();
  void Refresh(View& view);
  void RecomputeJob(View& view, NodeIndex index) const;
  void RecomputeQueue(View& view, NodeIndex index);
  void TellParent(View& view, NodeIndex index) const;
  Amounts AmountsOf(const View& view, NodeIndex index) const;
  double ShareOf(const Amounts& amounts) const;

  ResourceVec total_;
  ResourceVec allocated_;
  DimMask demanding_ = 0;  // Dimensions in which the cluster is not used up.
  std::vector<Node> nodes_;
  std::vector<NodeIndex> unused_;  // Leaves of jobs that were removed.
  std::vector<View> views_;        // The latest first.
  bool has_contradictions_ = false;
  uint64_t work_ = 0;
  absl::flat_hash_map<std::pair<NodeIndex, std::string>, NodeIndex> children_;
};

}  // namespace bth::algo
