// Label values that the program counts under: their series are there with 0 before the first one,
// so that an alarm on growth sees it. A test compares them with the sources.
#pragma once

#include <array>

namespace bth::metrics {

// Of SchedulerMetrics::LimitReached.
inline constexpr std::array kLimitNames = {
    "binding_reads",      "binds_under_way",       "debug_dump",          "device_steps",
    "effect_attempts",    "event_queue",           "events_waiting",      "extender_call",
    "extender_time",      "extender_unknown_name", "gate_removals",       "http_port_wait",
    "hyper_node_members", "metric_devices",        "metric_jobs",         "metric_queue_scalars",
    "metric_queues",      "node_load_round",       "node_load_source",    "object_notices",
    "objects_set_aside",  "orphaned_reports",      "resource_dimensions", "server_busy"};

// Of SchedulerMetrics::SetHeldJobs. Pods whose PodGroup does not exist are nobody's job.
inline constexpr std::array kGateNames = {
    "NoQueue", "QueueClosed", "NotEnqueued", "GangInvalid", "QueueOverused",  "QueueTurn",
    "Quota",   "Filters",     "GangMinimum", "Topology",    "SchedulingGate", "Victims"};

// Of AdmissionMetrics::LimitReached.
inline constexpr std::array kAdmissionLimitNames = {"queue_access_waiting", "review_bytes",
                                                    "review_time", "reviews_in_flight"};

// Of SchedulerMetrics::InvariantViolated.
inline constexpr std::array kInvariantNames = {
    "bound_elsewhere", "bound_outside_shard", "bound_twice",
    "cpu_twice",       "device_twice",        "eviction_for_nobody",
    "gang_in_part",    "gang_spread",         "hyper_node_sums",
    "job_sums",        "mirror_whole",        "node_over_allocatable",
    "node_sums",       "queue_sums",          "role_sums",
    "sub_job_sums",    "volume_twice"};

// Of SchedulerMetrics::DefectContained.
inline constexpr std::array kDefectPlaces = {"cycle", "mirror", "object"};

}  // namespace bth::metrics
