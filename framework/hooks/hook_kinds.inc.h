// Every kind of hook, declared once. Whoever includes this defines BTH_HOOK before:
//
//   BTH_HOOK(Kind, list, flag, asks, ListType)
//
// A plugin adds one by `HookRegistrar::Kind`, while `flag` is on; the session asks
// `HookTable::list`, whose type says what is asked and how answers combine. `asks` is for people:
// docs/plugins/hooks.md shows the table, and a test holds both together.
//
// Simulation hooks of Volcano have no kind: what-if searches place and evict on the session itself
// and roll back, so that every plugin's counters and filters take part by the same on_place and
// on_remove.

// Whoever includes it makes of each what it needs. NOLINTBEGIN(misc-definitions-in-headers)
BTH_HOOK(JobOrder, job_order, HookFlag::kJobOrder, "which of two jobs comes first",
         OrderHooks<JobId, JobId>)
BTH_HOOK(QueueOrder, queue_order, HookFlag::kQueueOrder, "which of two queues comes first",
         OrderHooks<QueueId, QueueId>)
// Left, right, the preemptor's.
BTH_HOOK(VictimQueueOrder, victim_queue_order, kAlwaysOn,
         "from which of two queues victims are taken first", OrderHooks<QueueId, QueueId, QueueId>)
BTH_HOOK(TaskOrder, task_order, HookFlag::kTaskOrder, "which of two tasks comes first",
         OrderHooks<TaskId, TaskId>)
BTH_HOOK(SubJobOrder, sub_job_order, HookFlag::kSubJobOrder, "which of two sub-jobs comes first",
         OrderHooks<SubJobId, SubJobId>)

// Before any node is looked at: a reason holds the task off all nodes.
BTH_HOOK(PreFilter, pre_filter, HookFlag::kPredicate, "why a task may go to no node at all",
         FilterHooks<PreFilterFn>)
BTH_HOOK(FilterStatic, static_filter, HookFlag::kPredicate,
         "why nodes are none for pods with these constraints, whatever stands on them",
         FilterHooks<StaticFilterFn>)
BTH_HOOK(FilterUsage, usage_filter, HookFlag::kPredicate,
         "why nodes are none for tasks of a shape, as they are used now",
         FilterHooks<UsageFilterFn>)
BTH_HOOK(FilterGlobal, global_filter, HookFlag::kPredicate,
         "why nodes are none for a task, by what stands on other nodes or by its queue",
         FilterHooks<GlobalFilter>)
// For those whose room is more than resources: with a reason, a node that passes the filters will
// have room only when releasing pods have left, and tasks are pipelined to it, as where resources
// lack.
BTH_HOOK(FilterNow, now_filter, kAlwaysOn,
         "why nodes that pass the filters have no room yet for tasks of a shape",
         FilterHooks<UsageFilterFn>)
BTH_HOOK(ScoreStatic, static_score, HookFlag::kNodeOrder,
         "how good nodes are for pods with these constraints, whatever stands on them",
         ScoreHooks<StaticScore>)
BTH_HOOK(ScoreUsage, usage_score, HookFlag::kNodeOrder,
         "how good nodes are for tasks of a shape, as they are used now", ScoreHooks<UsageScoreFn>)
BTH_HOOK(ScoreGlobal, global_score, HookFlag::kNodeOrder,
         "how good nodes are for a task, by what stands on other nodes or by its queue",
         ScoreHooks<GlobalScore>)
BTH_HOOK(BestNode, best_node, HookFlag::kBestNode, "which of the nodes with scores it is",
         FirstHooks<BestNodeFn>)
// Before many nodes are asked about: columns of node values catch up here.
BTH_HOOK(BeforeScan, before_scan, kAlwaysOn, "nothing: many nodes are about to be asked about",
         NoticeHooks<>)
BTH_HOOK(HyperNodeGradient, hyper_node_gradient, HookFlag::kHyperNodeGradient,
         "in which HyperNodes a gang is tried, and in which gang actions try to make room, in turn",
         FirstHooks<HyperNodeGradientFn>)
BTH_HOOK(HyperNodeOrder, hyper_node_order, HookFlag::kHyperNodeOrder,
         "how good HyperNodes are for a sub-job that finds room in each of them",
         ScoreHooks<HyperNodeScore>)

BTH_HOOK(Preemptable, preemptable, HookFlag::kPreemptable,
         "which of these may go for a task of their queue", EvictableHooks<TaskId>)
BTH_HOOK(Reclaimable, reclaimable, HookFlag::kReclaimable,
         "which of these may go for a task of another queue", EvictableHooks<TaskId>)
BTH_HOOK(UnifiedEvictable, unified_evictable, kAlwaysOn,
         "which of these may go for a job, when gang actions ask", EvictableHooks<EvictionContext>)
BTH_HOOK(VictimTasks, victim_tasks, HookFlag::kVictim, "which running tasks shuffle should evict",
         VictimTasksHooks)
BTH_HOOK(VictimFilter, victim_filter, HookFlag::kVictim, "which of those may go", VictimFilterHooks)

BTH_HOOK(Overused, overused, HookFlag::kOverused, "whether a queue has had its share",
         AnyHooks<QueueId>)
BTH_HOOK(Preemptive, preemptive, HookFlag::kPreemptive,
         "whether a queue may take room for these tasks by evictions",
         AllHooks<QueueId, absl::Span<const TaskId>>)
BTH_HOOK(Allocatable, allocatable, HookFlag::kAllocatable, "whether a queue has room for a task",
         AllHooks<QueueId, TaskId>)
// Of each plugin that refuses for want of a queue's room.
BTH_HOOK(QueueRoom, queue_room, kAlwaysOn, "how much more a queue may hold and admit",
         SingleHooks<QueueRoomFn>)
BTH_HOOK(QueueDeserved, queue_deserved, kAlwaysOn, "how much a queue deserves, for reports",
         DeservedHooks)

BTH_HOOK(JobValid, job_valid, kAlwaysOn, "whether a job can be scheduled at all", ValidityHooks)
BTH_HOOK(JobReady, job_ready, HookFlag::kJobReady, "whether a job has the tasks it needs to start",
         AllHooks<JobId>)
// Asked before JobReady, and always: for refusals that no switch may take away.
BTH_HOOK(JobWithheld, job_withheld, kAlwaysOn,
         "whether a job is not ready, whatever tasks it has, so that nothing of it is bound",
         AnyHooks<JobId>)
BTH_HOOK(JobPipelined, job_pipelined, HookFlag::kJobPipelined,
         "whether a job has, with its pipelined tasks, the tasks it needs", VoteHooks<JobId>)
BTH_HOOK(SubJobReady, sub_job_ready, HookFlag::kSubJobReady, "the same of a sub-job",
         AllHooks<SubJobId>)
BTH_HOOK(SubJobPipelined, sub_job_pipelined, HookFlag::kSubJobPipelined, "the same of a sub-job",
         VoteHooks<SubJobId>)
BTH_HOOK(JobEnqueueable, job_enqueueable, HookFlag::kJobEnqueued,
         "whether a job is admitted to its queue", VoteHooks<JobId>)
BTH_HOOK(JobEnqueued, job_enqueued, HookFlag::kJobEnqueued, "nothing: a job was admitted",
         NoticeHooks<JobId>)
BTH_HOOK(JobStarving, job_starving, HookFlag::kJobStarving,
         "whether a job lacks tasks that it may take room for", StarvingHooks)

// They run when a task enters or leaves the occupying group (placed, pipelined; evicted, undone),
// for doing and undoing alike: a move and its undoing name the same two states.
BTH_HOOK(OnPlace, on_place, kAlwaysOn, "nothing: a task takes room", NoticeHooks<const TaskMove&>)
BTH_HOOK(OnRemove, on_remove, kAlwaysOn, "nothing: a task gives its room back",
         NoticeHooks<const TaskMove&>)
// A task's queue has room for it, and its gate goes: it may be placed in some later cycle.
BTH_HOOK(OnGateLifted, on_gate_lifted, kAlwaysOn, "nothing: the gate of a task goes",
         NoticeHooks<TaskId>)
BTH_HOOK(PlanVolumes, volume_plan, kAlwaysOn,
         "what must be done to a placed task's volumes before it can be bound",
         PlanHooks<model::VolumePlan>)
BTH_HOOK(PlanClaims, claim_plan, kAlwaysOn,
         "which devices a placed task's claims are given before it can be bound",
         PlanHooks<model::ClaimPlan>)
BTH_HOOK(PlanCpus, cpu_plan, kAlwaysOn, "which CPUs a placed task has to itself",
         PlanHooks<model::CpuSet>)
BTH_HOOK(PlanDevices, device_plan, kAlwaysOn,
         "which shared devices a placed task was given, as its binding says it",
         PlanHooks<model::DevicePlan>)
// At session close, before statuses are derived; in order of tier and plugin.
BTH_HOOK(OnClose, on_close, kAlwaysOn, "nothing: the session closes", NoticeHooks<>)
// NOLINTEND(misc-definitions-in-headers)
