// Field tables of JobFlow, JobTemplate and ColocationConfiguration.
#include "api/types/colocation.h"
#include "api/types/field_table.h"
#include "api/types/job_flow.h"

namespace bth::types {

namespace {
BTH_PART(HttpHeaderPart, Field<&FlowHttpProbe::header_name>("name"),
         Field<&FlowHttpProbe::header_value>("value"))
}  // namespace

BTH_FIELDS(FlowHttpProbe, Field<&FlowHttpProbe::task_name>("taskName"),
           Field<&FlowHttpProbe::path>("path"), Field<&FlowHttpProbe::port>("port"),
           Part("httpHeader", &HttpHeaderPart))

BTH_FIELDS(FlowTcpProbe, Field<&FlowTcpProbe::task_name>("taskName"),
           Field<&FlowTcpProbe::port>("port", When::kAlways))

BTH_FIELDS(FlowTaskProbe, Field<&FlowTaskProbe::task_name>("taskName"),
           Field<&FlowTaskProbe::phase>("phase"))

BTH_FIELDS(FlowProbe, Field<&FlowProbe::http_get>("httpGetList"),
           Field<&FlowProbe::tcp_socket>("tcpSocketList"),
           Field<&FlowProbe::task_statuses>("taskStatusList"))

BTH_FIELDS(FlowDependency, Field<&FlowDependency::targets>("targets"),
           Field<&FlowDependency::probe>("probe"))

namespace {
BTH_PART(FlowPatchPart, Field<&Flow::patch>("jobSpec"))
}  // namespace

BTH_FIELDS(Flow, Field<&Flow::name>("name", When::kAlways), Field<&Flow::depends_on>("dependsOn"),
           Part("patch", &FlowPatchPart))

BTH_FIELDS(JobFlowSpec, Field<&JobFlowSpec::flows>("flows"),
           Field<&JobFlowSpec::job_retain_policy>("jobRetainPolicy"))

BTH_FIELDS(FlowRunningHistory, Field<&FlowRunningHistory::start_time>("startTimestamp"),
           Field<&FlowRunningHistory::end_time>("endTimestamp"),
           Field<&FlowRunningHistory::state>("state"))

BTH_FIELDS(FlowJobStatus, Field<&FlowJobStatus::name>("name"),
           Field<&FlowJobStatus::state>("state"),
           Field<&FlowJobStatus::start_time>("startTimestamp"),
           Field<&FlowJobStatus::end_time>("endTimestamp"),
           Field<&FlowJobStatus::restart_count>("restartCount"),
           Field<&FlowJobStatus::running_histories>("runningHistories"))

BTH_FIELDS(FlowCondition, Field<&FlowCondition::phase>("phase"),
           Field<&FlowCondition::create_time>("createTime"),
           Field<&FlowCondition::running_duration>("runningDuration"),
           Field<&FlowCondition::task_status_count>("taskStatusCount"))

namespace {
BTH_PART(FlowStatePart, Field<&JobFlowStatus::phase>("phase"))
}  // namespace

BTH_FIELDS(JobFlowStatus, Field<&JobFlowStatus::pending_jobs>("pendingJobs"),
           Field<&JobFlowStatus::running_jobs>("runningJobs"),
           Field<&JobFlowStatus::failed_jobs>("failedJobs"),
           Field<&JobFlowStatus::completed_jobs>("completedJobs"),
           Field<&JobFlowStatus::terminated_jobs>("terminatedJobs"),
           Field<&JobFlowStatus::unknown_jobs>("unKnowJobs"),
           Field<&JobFlowStatus::job_status_list>("jobStatusList"),
           Field<&JobFlowStatus::conditions>("conditions"), Part("state", &FlowStatePart))

BTH_FIELDS(JobFlow, Field<&JobFlow::meta>("metadata"), Field<&JobFlow::spec>("spec"),
           Field<&JobFlow::status>("status"))

namespace {
BTH_PART(TemplateStatusPart, Field<&JobTemplate::job_depends_on>("jobDependsOnList"))
}  // namespace

BTH_FIELDS(JobTemplate, Field<&JobTemplate::meta>("metadata"), Field<&JobTemplate::spec>("spec"),
           Part("status", &TemplateStatusPart))

BTH_FIELDS(MemoryQos, Field<&MemoryQos::high_ratio>("highRatio"),
           Field<&MemoryQos::low_ratio>("lowRatio"), Field<&MemoryQos::min_ratio>("minRatio"))

BTH_FIELDS(ColocationSettings, Field<&ColocationSettings::memory_qos>("memoryQos"))

namespace {
// The settings stand beside the selector; both are members of the object.
constexpr FieldDef kMemoryQosField = {
    "memoryQos",
    [](void* object) -> void* {
      return &static_cast<ColocationConfiguration*>(object)->settings.memory_qos;
    },
    ContainerOps<std::optional<MemoryQos>>::kGet};

BTH_PART(ColocationSpecPart, Field<&ColocationConfiguration::selector>("selector"), kMemoryQosField)
BTH_PART(ColocationStatusPart, Field<&ColocationConfiguration::conditions>("conditions"))
}  // namespace

BTH_FIELDS(ColocationConfiguration, Field<&ColocationConfiguration::meta>("metadata"),
           Part("spec", &ColocationSpecPart, When::kAlways), Part("status", &ColocationStatusPart))

BTH_RESOURCE(JobFlow, "flow.volcano.sh", "v1alpha1", "jobflows", "JobFlow", true)
BTH_RESOURCE(JobTemplate, "flow.volcano.sh", "v1alpha1", "jobtemplates", "JobTemplate", true)
BTH_RESOURCE(ColocationConfiguration, "config.volcano.sh", "v1alpha1", "colocationconfigurations",
             "ColocationConfiguration", true)

}  // namespace bth::types
