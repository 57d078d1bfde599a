// Docs of the batch kinds: Job, CronJob, Command, JobFlow and JobTemplate.
#include "api/types/batch_job.h"
#include "api/types/command.h"
#include "api/types/crd/kind_docs.h"
#include "api/types/cron_job.h"
#include "api/types/job_flow.h"

namespace bth::types::crd {
namespace {

// What a template's pods may not be is said when they are created; its metadata is ours to copy.
constexpr FieldDoc kTemplateMetaFields[] = {
    {"name", "Not used."},
    {"namespace", "Not used."},
    {"labels", "Labels for what is made from the template."},
    {"annotations", "Annotations for what is made from the template."},
    {"finalizers", "Not used."},
};
constexpr FieldDocs kTemplateMetaDocs = {kTemplateMetaFields, /*partial=*/true};

constexpr FieldDoc kPodTemplateFields[] = {
    {"metadata", "Labels and annotations for the pods.", {.open = true}, &kTemplateMetaDocs},
    {"spec",
     "What the pods run and where they may run, as the spec of a Pod.",
     {.message = "core.PodSpec"}},
};
constexpr FieldDocs kPodTemplateDocs = {kPodTemplateFields};

constexpr FieldDoc kPolicyFields[] = {
    {"action",
     "What to do: AbortJob, RestartJob, RestartTask, RestartPod, RestartPartition, TerminateJob, "
     "CompleteJob or ResumeJob."},
    {"event", "What sets it off.", {.words = KnownWords<BusEvent>()}},
    {"events", "Several of these, besides event."},
    {"events[]", "", {.words = KnownWords<BusEvent>()}},
    {"exitCode", "An exit code that sets it off, instead of an event. Not 0."},
    {"timeout", "How long to wait before acting, such as 10m. PodPending acts with it only."},
};
constexpr FieldDocs kPolicyDocs = {kPolicyFields};

constexpr FieldDoc kClaimFields[] = {
    {"accessModes", "How the volume may be mounted.", {.list_type = "atomic"}},
    {"selector", "Volumes to choose from.", {.map_type = "atomic"}, &kLabelSelectorDocs},
    {"resources", "What it needs.", {.open = true}},
    {"resources.requests", "Its size, under storage."},
    {"volumeName", "The volume it is for."},
    {"storageClassName", "Its storage class; empty asks for none, left out for the default one."},
    {"volumeMode", "Filesystem or Block."},
    {"volumeAttributesClassName", "Its class of volume attributes; empty asks for none."},
};
constexpr FieldDocs kClaimDocs = {kClaimFields};

constexpr FieldDoc kVolumeFields[] = {
    {"mountPath",
     "Where every container finds it; one volume per path.",
     {.required = true, .length_min = 1, .pattern = "^[^:]+$"}},
    {"volumeClaimName",
     "Name of a claim. Written here by the controller when it has made one.",
     {.length_max = kDnsSubdomainMax}},
    {"volumeClaim",
     "A claim to be made with the job and owned by it; as the spec of a PersistentVolumeClaim.",
     {.open = true},
     &kClaimDocs},
};
constexpr FieldDocs kVolumeDocs = {kVolumeFields};

constexpr std::string_view kNumaPolicies[] = {"none", "best-effort", "restricted",
                                              "single-numa-node"};

constexpr FieldDoc kTaskFields[] = {
    {"name",
     "Name of the task, one of its kind in the job; default and its number when left out.",
     {.length_max = kDnsLabelMax, .pattern = kDnsLabel}},
    {"replicas", "How many pods.", {.min = 0}},
    {"minAvailable", "How many of them the job needs to start; all when left out.", {.min = 0}},
    {"template", "The pods, as the template of a workload.", {.open = true}, &kPodTemplateDocs},
    {"policies",
     "What to do when something happens; asked before those of the job.",
     {},
     &kPolicyDocs},
    {"topologyPolicy",
     "How the pods' CPUs are to lie on the NUMA nodes of a machine.",
     {.words = kNumaPolicies}},
    {"maxRetry",
     "After so many restarts of its containers the task counts as failed; 3 when left out.",
     {.min = 0}},
    {"dependsOn", "Tasks that come first."},
    {"dependsOn.name", "Their names."},
    {"dependsOn.iteration", "any: one of them suffices. Otherwise all have to be ready."},
    {"partitionPolicy", "Splits the pods into groups of equal size."},
    {"partitionPolicy.totalPartitions", "How many groups.", {.required = true, .min = 1}},
    {"partitionPolicy.partitionSize",
     "Pods in each; times the number of groups it makes up the replicas.",
     {.required = true, .min = 1}},
    {"partitionPolicy.minPartitions",
     "How many complete groups the job needs to start.",
     {.min = 0, .fallback = "0"}},
    {"partitionPolicy.networkTopology",
     "How close to each other in the network the pods of a group have to be.",
     {.rules = kTopologyRules},
     &kTopologyDocs},
};
constexpr FieldDocs kTaskDocs = {kTaskFields};

constexpr FieldDoc kJobSpecFields[] = {
    {"schedulerName",
     "The scheduler of pods whose template names none.",
     {.length_max = kDnsLabelMax}},
    {"minAvailable",
     "How many pods must find a place before any of them is started; all that the tasks need when "
     "left out.",
     {.min = 0}},
    {"volumes", "Volumes for every container of every task.", {}, &kVolumeDocs},
    {"tasks", "The pods of the job, by the part they play.", {.items_min = 1}, &kTaskDocs},
    {"policies", "What to do when something happens.", {}, &kPolicyDocs},
    {"plugins", "Plugins of the controller by name, each with its arguments."},
    {"runningEstimate", "How long the job will run, as its user thinks, such as 1h30m."},
    {"queue",
     "The queue whose share the job uses.",
     {.length_max = kDnsSubdomainMax, .pattern = kDnsSubdomain, .fallback = R"("default")"}},
    {"maxRetry", "After so many restarts the job has failed.", {.min = 0, .fallback = "3"}},
    {"ttlSecondsAfterFinished",
     "How long the job is kept after its end: 0 is not at all, left out is for good.",
     {.min = 0}},
    {"priorityClassName",
     "Priority class of the job, and of pods whose template names none.",
     {.length_max = kDnsSubdomainMax, .pattern = kDnsSubdomain}},
    {"minSuccess", "The job is completed when so many pods have succeeded.", {.min = 1}},
    {"networkTopology",
     "How close to each other in the network the pods have to be.",
     {.rules = kTopologyRules},
     &kTopologyDocs},
};
constexpr FieldDocs kJobSpecDocs = {kJobSpecFields};

constexpr FieldDoc kTaskCountFields[] = {{"phase", "Number of pods by their phase."}};
constexpr FieldDocs kTaskCountDocs = {kTaskCountFields};

constexpr FieldDoc kJobFields[] = {
    {"spec", "What the job consists of.", {}, &kJobSpecDocs},
    {"status", "What became of the job. Written by the controllers."},
    {"status.state", "Where the job stands."},
    {"status.state.phase",
     "Pending, Running, Restarting, Completing, Terminating, Aborting, Aborted, Completed, "
     "Terminated or Failed."},
    {"status.state.reason", "One word for programs."},
    {"status.state.message", "A sentence for people."},
    {"status.state.lastTransitionTime", "When this was written."},
    {"status.minAvailable", "How many pods the job needs, at the last look.", {.min = 0}},
    {"status.taskStatusCount", "Pods by task and phase.", {}, &kTaskCountDocs},
    {"status.pending", "Pods that wait.", {.min = 0}},
    {"status.running", "Pods that run.", {.min = 0}},
    {"status.succeeded", "Pods that ended well.", {.min = 0}},
    {"status.failed", "Pods that ended badly.", {.min = 0}},
    {"status.terminating", "Pods that are being removed.", {.min = 0}},
    {"status.unknown", "Pods of which nothing is known.", {.min = 0}},
    {"status.version",
     "Grows whenever all pods are removed; pods bear the one they were made for.",
     {.min = 0}},
    {"status.retryCount", "How often the job was restarted or resumed.", {.min = 0}},
    {"status.runningDuration", "From the job's creation to the end of its last run."},
    {"status.controlledResources", "What the controller has made for the job besides its pods."},
    {"status.conditions", "The phases the job has been in, the latest last."},
    {"status.conditions[].status", "The phase.", {.required = true}},
    {"status.conditions[].lastTransitionTime", "When the job came into it."},
};
constexpr FieldDocs kJobDocs = {kJobFields};

constexpr FieldDoc kReferenceFields[] = {
    {"apiVersion", "Version of its kind."},
    {"kind", "Its kind."},
    {"namespace", "Its namespace."},
    {"name", "Its name."},
    {"uid", "Its UID."},
    {"resourceVersion", "Its version when it was noted down."},
    {"fieldPath", "A part of it."},
};
constexpr FieldDocs kReferenceDocs = {kReferenceFields};

// In the words of admission, and only what no controller could use.
constexpr Rule kScheduleRules[] = {{"self != ''", "schedule is required, but got empty"}};
constexpr Rule kZoneRules[] = {{"self.matches('^[-A-Za-z._0-9+/]*$')", "unknown timeZone"}};

constexpr FieldDoc kCronJobFields[] = {
    {"spec", "When to create jobs, and which.", {.required = true}},
    {"spec.schedule",
     "Five fields of cron, or a descriptor such as @hourly.",
     {.required = true, .rules = kScheduleRules}},
    {"spec.timeZone",
     "Zone of the schedule, as in the IANA database; the controller's when left "
     "out.",
     {.rules = kZoneRules}},
    {"spec.startingDeadlineSeconds", "How late a job that was missed may still start.", {.min = 0}},
    {"spec.concurrencyPolicy",
     "When the last job still runs: Allow starts another, Forbid skips, Replace ends the old one.",
     {.words = KnownWords<ConcurrencyPolicy>(), .fallback = R"("Allow")"}},
    {"spec.suspend", "No jobs are created while this is true.", {.fallback = "false"}},
    {"spec.jobTemplate", "The jobs.", {.required = true}},
    {"spec.jobTemplate.metadata", "Labels and annotations for the jobs.", {}, &kTemplateMetaDocs},
    {"spec.jobTemplate.spec", "What a job consists of.", {}, &kJobSpecDocs},
    {"spec.successfulJobsHistoryLimit",
     "How many completed jobs to keep.",
     {.min = 0, .fallback = "3"}},
    {"spec.failedJobsHistoryLimit", "How many failed jobs to keep.", {.min = 0, .fallback = "1"}},
    {"status", "What has been created. Written by the controllers."},
    {"status.active", "Jobs that run.", {.list_type = "atomic"}, &kReferenceDocs},
    {"status.lastScheduleTime", "The time on the schedule of the latest job."},
    {"status.lastSuccessfulTime", "When a job was completed last."},
};
constexpr FieldDocs kCronJobDocs = {kCronJobFields};

constexpr FieldDoc kCommandFields[] = {
    {"action", "What to do: an action of the policies of jobs, or OpenQueue or CloseQueue."},
    {"target", "A Job of this namespace, or a Queue.", {.map_type = "atomic"}},
    {"target.apiVersion", "Version of its kind.", {.required = true}},
    {"target.kind", "Its kind.", {.required = true}},
    {"target.name", "Its name.", {.required = true}},
    {"target.uid", "Its UID.", {.required = true}},
    {"target.controller", "Not used."},
    {"target.blockOwnerDeletion", "Not used."},
    {"reason", "Why, in one word."},
    {"message", "Why, in a sentence."},
};
constexpr FieldDocs kCommandDocs = {kCommandFields};

constexpr FieldDoc kProbeFields[] = {
    {"httpGetList", "Paths that answer. Accepted, and not asked; the target must be completed."},
    {"httpGetList[].taskName", "The task that is asked.", {.length_max = kDnsSubdomainMax}},
    {"httpGetList[].path", "The path."},
    {"httpGetList[].port", "The port.", {.any_width = true, .min = 0, .max = 65535}},
    {"httpGetList[].httpHeader", "A header to send along."},
    {"httpGetList[].httpHeader.name", "Its name."},
    {"httpGetList[].httpHeader.value", "Its value."},
    {"tcpSocketList",
     "Ports that accept connections. Accepted, and not asked; the target must be completed."},
    {"tcpSocketList[].taskName", "The task that is asked.", {.length_max = kDnsSubdomainMax}},
    {"tcpSocketList[].port",
     "The port.",
     {.required = true, .any_width = true, .min = 0, .max = 65535}},
    {"taskStatusList", "Tasks whose pods are all in a phase."},
    {"taskStatusList[].taskName", "The task.", {.length_max = kDnsSubdomainMax}},
    {"taskStatusList[].phase", "The phase.", {.length_max = kDnsLabelMax}},
};
constexpr FieldDocs kProbeDocs = {kProbeFields};

constexpr FieldDoc kJobFlowFields[] = {
    {"spec", "The jobs and their order."},
    {"spec.flows", "The jobs."},
    {"spec.flows[].name",
     "The JobTemplate it is made from, of this namespace.",
     {.required = true, .length_min = 1}},
    {"spec.flows[].dependsOn", "What comes first."},
    {"spec.flows[].dependsOn.targets", "Entries of flows whose jobs must be completed before."},
    {"spec.flows[].dependsOn.probe",
     "Signs that a target is ready before it is completed. Only taskStatusList is looked at.",
     {},
     &kProbeDocs},
    {"spec.flows[].patch", "Changes to the template. Accepted, and not applied."},
    {"spec.flows[].patch.jobSpec", "What the job consists of.", {}, &kJobSpecDocs},
    {"spec.jobRetainPolicy",
     "Whether the jobs stay when all are completed; they do when left out.",
     {.words = KnownWords<JobRetainPolicy>()}},
    {"status", "What became of the jobs. Written by the controllers."},
    {"status.pendingJobs", "Jobs that wait."},
    {"status.runningJobs", "Jobs that run."},
    {"status.failedJobs", "Jobs that failed."},
    {"status.completedJobs", "Jobs that are completed."},
    {"status.terminatedJobs", "Jobs that were stopped."},
    {"status.unKnowJobs", "Jobs in any other phase."},
    {"status.jobStatusList", "How each job came to where it stands."},
    {"status.jobStatusList[].name", "The job."},
    {"status.jobStatusList[].state", "Its phase."},
    {"status.jobStatusList[].startTimestamp", "When it was created."},
    {"status.jobStatusList[].endTimestamp", "When it ended."},
    {"status.jobStatusList[].restartCount", "How often it was restarted.", {.min = 0}},
    {"status.jobStatusList[].runningHistories", "The phases it has been in."},
    {"status.jobStatusList[].runningHistories[].startTimestamp", "When the phase began."},
    {"status.jobStatusList[].runningHistories[].endTimestamp", "When it ended."},
    {"status.jobStatusList[].runningHistories[].state", "The phase."},
    {"status.conditions", "Where each job stands, by its name."},
    {"status.conditions{}.phase", "Its phase."},
    {"status.conditions{}.createTime", "When it was created."},
    {"status.conditions{}.runningDuration", "How long it has run."},
    {"status.conditions{}.taskStatusCount", "Its pods by task and phase.", {}, &kTaskCountDocs},
    {"status.state", "Where the whole stands."},
    {"status.state.phase", "Pending, Running, Succeed, Failed or Terminating."},
};
constexpr FieldDocs kJobFlowDocs = {kJobFlowFields};

constexpr FieldDoc kJobTemplateFields[] = {
    {"spec", "What a job made from it consists of.", {}, &kJobSpecDocs},
    {"status", "What was made from it. Written by the controllers."},
    {"status.jobDependsOnList", "Jobs made from it."},
};
constexpr FieldDocs kJobTemplateDocs = {kJobTemplateFields};

constexpr std::string_view kJobNames[] = {"vcjob", "vj"};
constexpr std::string_view kCronJobNames[] = {"cronvcjob", "cronvj"};
constexpr std::string_view kJobFlowNames[] = {"jf"};
constexpr std::string_view kJobTemplateNames[] = {"jt"};

constexpr Column kJobColumns[] = {
    {"STATUS", "string", ".status.state.phase"},
    {"minAvailable", "integer", ".status.minAvailable"},
    {"RUNNINGS", "integer", ".status.running"},
    {"AGE", "date", ".metadata.creationTimestamp"},
    {"QUEUE", "string", ".spec.queue", 1},
};
// Volcano's has none: what kubectl shows of Kubernetes' own CronJobs, as far as columns can.
constexpr Column kCronJobColumns[] = {
    {"SCHEDULE", "string", ".spec.schedule"},
    {"SUSPEND", "boolean", ".spec.suspend"},
    {"LAST SCHEDULE", "date", ".status.lastScheduleTime"},
    {"AGE", "date", ".metadata.creationTimestamp"},
};
constexpr Column kJobFlowColumns[] = {
    {"Status", "string", ".status.state.phase"},
    {"Age", "date", ".metadata.creationTimestamp"},
};

constexpr KindDoc kBatchKinds[] = {
    {&codec_internal::ResourceOf<BatchJob>, "job", kJobNames, Subresources::kStatus, kJobColumns,
     "Groups of equal pods that start together and are looked after as a whole.", &kJobDocs},
    {&codec_internal::ResourceOf<CronJob>, "cronjob", kCronJobNames, Subresources::kStatus,
     kCronJobColumns, "Creates jobs by the clock.", &kCronJobDocs},
    {&codec_internal::ResourceOf<Command>,
     "command",
     {},
     Subresources::kAbsent,
     {},
     "A message to a job or a queue; it is deleted when it is taken.",
     &kCommandDocs},
    {&codec_internal::ResourceOf<JobFlow>, "jobflow", kJobFlowNames, Subresources::kStatus,
     kJobFlowColumns, "Jobs that start in the order of their dependencies.", &kJobFlowDocs},
    {&codec_internal::ResourceOf<JobTemplate>,
     "jobtemplate",
     kJobTemplateNames,
     Subresources::kStatus,
     {},
     "A job for flows to make theirs from.",
     &kJobTemplateDocs},
};

}  // namespace

std::span<const KindDoc> BatchKinds() {
  return kBatchKinds;
}

}  // namespace bth::types::crd
