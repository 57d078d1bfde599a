// Field tables of the batch kinds: Job, CronJob and Command.
#include "api/types/batch_job.h"
#include "api/types/command.h"
#include "api/types/cron_job.h"
#include "api/types/field_table.h"

namespace bth::types {

BTH_FIELDS(LifecyclePolicy, Field<&LifecyclePolicy::action>("action"),
           Field<&LifecyclePolicy::event>("event"), Field<&LifecyclePolicy::events>("events"),
           Field<&LifecyclePolicy::exit_code>("exitCode"),
           Field<&LifecyclePolicy::timeout>("timeout"))

BTH_FIELDS(BatchVolume, Field<&BatchVolume::mount_path>("mountPath", When::kAlways),
           Field<&BatchVolume::claim_name>("volumeClaimName"),
           Field<&BatchVolume::claim>("volumeClaim"))

BTH_FIELDS(TaskDependency, Field<&TaskDependency::names>("name"),
           Field<&TaskDependency::iteration>("iteration"))

BTH_FIELDS(PartitionPolicy,
           Field<&PartitionPolicy::total_partitions>("totalPartitions", When::kAlways),
           Field<&PartitionPolicy::partition_size>("partitionSize", When::kAlways),
           Field<&PartitionPolicy::min_partitions>("minPartitions"),
           Field<&PartitionPolicy::network_topology>("networkTopology"))

BTH_FIELDS(BatchTask, Field<&BatchTask::name>("name"), Field<&BatchTask::replicas>("replicas"),
           Field<&BatchTask::min_available>("minAvailable"),
           Field<&BatchTask::pod_template>("template"), Field<&BatchTask::policies>("policies"),
           Field<&BatchTask::topology_policy>("topologyPolicy"),
           Field<&BatchTask::max_retry>("maxRetry"), Field<&BatchTask::depends_on>("dependsOn"),
           Field<&BatchTask::partition_policy>("partitionPolicy"))

BTH_FIELDS(BatchJobSpec, Field<&BatchJobSpec::scheduler_name>("schedulerName"),
           Field<&BatchJobSpec::min_available>("minAvailable"),
           Field<&BatchJobSpec::volumes>("volumes"), Field<&BatchJobSpec::tasks>("tasks"),
           Field<&BatchJobSpec::policies>("policies"), Field<&BatchJobSpec::plugins>("plugins"),
           Field<&BatchJobSpec::running_estimate>("runningEstimate"),
           Field<&BatchJobSpec::queue>("queue"), Field<&BatchJobSpec::max_retry>("maxRetry"),
           Field<&BatchJobSpec::ttl_seconds_after_finished>("ttlSecondsAfterFinished"),
           Field<&BatchJobSpec::priority_class_name>("priorityClassName"),
           Field<&BatchJobSpec::min_success>("minSuccess"),
           Field<&BatchJobSpec::network_topology>("networkTopology"))

BTH_FIELDS(JobState, Field<&JobState::phase>("phase"), Field<&JobState::reason>("reason"),
           Field<&JobState::message>("message"),
           Field<&JobState::last_transition_time>("lastTransitionTime"))

BTH_FIELDS(TaskPodCounts, Field<&TaskPodCounts::phase>("phase"))

BTH_FIELDS(BatchJobCondition, Field<&BatchJobCondition::status>("status", When::kAlways),
           Field<&BatchJobCondition::last_transition_time>("lastTransitionTime"))

BTH_FIELDS(BatchJobStatus, Field<&BatchJobStatus::state>("state"),
           Field<&BatchJobStatus::min_available>("minAvailable"),
           Field<&BatchJobStatus::task_status_count>("taskStatusCount"),
           Field<&BatchJobStatus::pending>("pending"), Field<&BatchJobStatus::running>("running"),
           Field<&BatchJobStatus::succeeded>("succeeded"), Field<&BatchJobStatus::failed>("failed"),
           Field<&BatchJobStatus::terminating>("terminating"),
           Field<&BatchJobStatus::unknown>("unknown"), Field<&BatchJobStatus::version>("version"),
           Field<&BatchJobStatus::retry_count>("retryCount"),
           Field<&BatchJobStatus::running_duration>("runningDuration"),
           Field<&BatchJobStatus::controlled_resources>("controlledResources"),
           Field<&BatchJobStatus::conditions>("conditions"))

BTH_FIELDS(BatchJob, Field<&BatchJob::meta>("metadata"), Field<&BatchJob::spec>("spec"),
           Field<&BatchJob::status>("status"))

BTH_FIELDS(CronJobTemplate, Field<&CronJobTemplate::meta>("metadata"),
           Field<&CronJobTemplate::spec>("spec"))

BTH_FIELDS(CronJobSpec, Field<&CronJobSpec::schedule>("schedule", When::kAlways),
           Field<&CronJobSpec::time_zone>("timeZone"),
           Field<&CronJobSpec::starting_deadline_seconds>("startingDeadlineSeconds"),
           Field<&CronJobSpec::concurrency_policy>("concurrencyPolicy"),
           Field<&CronJobSpec::suspend>("suspend"),
           Field<&CronJobSpec::job_template>("jobTemplate", When::kAlways),
           Field<&CronJobSpec::successful_jobs_history_limit>("successfulJobsHistoryLimit"),
           Field<&CronJobSpec::failed_jobs_history_limit>("failedJobsHistoryLimit"))

BTH_FIELDS(CronJobStatus, Field<&CronJobStatus::active>("active"),
           Field<&CronJobStatus::last_schedule_time>("lastScheduleTime"),
           Field<&CronJobStatus::last_successful_time>("lastSuccessfulTime"))

BTH_FIELDS(CronJob, Field<&CronJob::meta>("metadata"), Field<&CronJob::spec>("spec"),
           Field<&CronJob::status>("status"))

BTH_FIELDS(Command, Field<&Command::meta>("metadata"), Field<&Command::action>("action"),
           Field<&Command::target>("target"), Field<&Command::reason>("reason"),
           Field<&Command::message>("message"))

BTH_RESOURCE(BatchJob, "batch.volcano.sh", "v1alpha1", "jobs", "Job", true)
BTH_RESOURCE(CronJob, "batch.volcano.sh", "v1alpha1", "cronjobs", "CronJob", true)
BTH_RESOURCE(Command, "bus.volcano.sh", "v1alpha1", "commands", "Command", true)

}  // namespace bth::types
