// Why a job that was looked at waits, in terms of what could change that.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/model/device_claims.h"
#include "api/model/ids.h"
#include "framework/nodes/candidate_index.h"
#include "framework/session/session.h"
#include "framework/unschedulable/answer_rules.h"
#include "framework/unschedulable/domain_lack.h"
#include "framework/unschedulable/room_watch.h"

namespace bth::framework {

// A job that got nothing in a session, and would get nothing again while nothing of this changes.
struct Refusal {
  bool for_admission = false;  // Its queue, or the cluster, admits no more; it was not tried.
  // Its queue may hold no more: one task of each kind that waits.
  std::vector<model::TaskId> beyond_share;
  // With less of a share, other tasks than those that were tried might be, and with success.
  bool by_choice_of_tasks = false;
  bool queue_overused = false;
  // What nodes refused: each kind of task with one task that stands for it. Empty: no node was
  // asked, or none that matters.
  std::vector<std::pair<TaskKind, model::TaskId>> kinds;
  bool of_many_kinds = false;  // Or of one, with device claims that are not alike.
  // Some of its pods claim devices: more of them to have may help.
  bool by_devices = false;
  std::vector<std::string> claims;  // A change of these may help. By key.
  // What each of its pods asks of devices, one after the other; empty: they differ, or it is not
  // known of all.
  std::vector<std::shared_ptr<const model::DeviceAskId>> asks;
  // Its gang waits for a HyperNode that lacks none of this; `kinds` has its kinds.
  std::optional<DomainLack> domain_lack;
  // Nodes answer by where its gang is: its tasks do not stand for others of their kinds.
  bool by_gang = false;
  // Other places of what was tried might have left room for the rest.
  bool by_choice_of_nodes = false;
  // No node could take any of its tasks, were it empty: evictions do not help either, as long as
  // nodes are what they are.
  bool beyond_any_node = false;
  // Actions that evict give it nothing either while nobody can be evicted for it: what they try
  // otherwise is what was tried here.
  bool stands_without_victims = false;

  // What was there when it was tried decided, not what was left in the end: less of it may help.
  bool by_choice() const { return by_choice_of_tasks || by_choice_of_nodes; }
  // More room in its queue, or for admissions, may help.
  bool waits_for_queue() const {
    return for_admission || by_choice_of_tasks || queue_overused || !beyond_share.empty();
  }
};

// Nothing: the job got something, or what keeps it is not known well enough. For active jobs, at
// the end of `session`, whose queues `queues` remembers. Cost: the job's tasks; for gangs of
// different pods, and with actions that evict, also the nodes, per kind of task.
std::optional<Refusal> RefusalOf(Session& session, model::JobId job, const AnswerRules& rules,
                                 const QueueRoomWatch& queues);

}  // namespace bth::framework
