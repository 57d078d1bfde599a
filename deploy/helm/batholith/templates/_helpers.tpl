{{/* Names: Volcano's, with the release in front. */}}
{{- define "batholith.scheduler" -}}{{ .Release.Name }}-scheduler{{- end -}}
{{- define "batholith.agentScheduler" -}}{{ .Release.Name }}-agent-scheduler{{- end -}}
{{- define "batholith.controllers" -}}{{ .Release.Name }}-controllers{{- end -}}
{{- define "batholith.admission" -}}{{ .Release.Name }}-admission{{- end -}}

{{/* (list root component): the image of a component: its own tag, else the common one, else this version. */}}
{{- define "batholith.image" -}}
{{- $root := index . 0 -}}
{{- $basic := $root.Values.basic -}}
{{- $name := index $basic (printf "%s_image_name" (index . 1)) -}}
{{- $tag := index $basic (printf "%s_image_tag_version" (index . 1)) -}}
{{- with $basic.image_registry }}{{ . }}/{{ end -}}
{{ $name }}:{{ $tag | default $basic.image_tag_version | default $root.Chart.AppVersion }}
{{- end -}}

{{/* (list root labels…): the labels of an object, with those that all have, as one line of YAML. */}}
{{- define "batholith.labels" -}}
{{- $all := dict -}}
{{- with (index . 0).Values.custom.common_labels }}{{ $all = merge $all . }}{{ end -}}
{{- range $more := rest . }}{{ with $more }}{{ $all = merge $all . }}{{ end }}{{ end -}}
{{- $pairs := list -}}
{{- range $key, $value := $all -}}
{{- $text := toString $value -}}
{{- if not (regexMatch "^[A-Za-z_][A-Za-z_-]*$" $text) }}{{ $text = quote $text }}{{ end -}}
{{- if has (lower $text) (list "true" "false" "yes" "no" "on" "off" "null" "y" "n") }}{{ $text = quote $text }}{{ end -}}
{{- $pairs = append $pairs (printf "%s: %s" $key $text) -}}
{{- end -}}
{ {{- join ", " $pairs -}} }
{{- end -}}

{{/* Of objects that have no label of their own: the line "labels: …" where there are any. */}}
{{- define "batholith.commonLabels" -}}
{{- if .Values.custom.common_labels }}
  labels: {{ include "batholith.labels" (list .) }}
{{- end -}}
{{- end -}}

{{/* (list root component): where the pods of a component may run. */}}
{{- define "batholith.placement" -}}
{{- $custom := (index . 0).Values.custom -}}
{{- $component := index . 1 -}}
{{- with index $custom (printf "%s_affinity" $component) | default $custom.default_affinity }}
      affinity:
        {{- toYaml . | nindent 8 }}
{{- end -}}
{{- with index $custom (printf "%s_tolerations" $component) | default $custom.default_tolerations }}
      tolerations:
        {{- toYaml . | nindent 8 }}
{{- end -}}
{{- with index $custom (printf "%s_ns" $component) | default $custom.default_ns }}
      nodeSelector:
        {{- toYaml . | nindent 8 }}
{{- end -}}
{{- end -}}

{{/* (list root component labels): what comes first in every pod. */}}
{{- define "batholith.pod" -}}
{{- $root := index . 0 -}}
{{- $component := index . 1 -}}
{{- $custom := $root.Values.custom }}
{{- with $root.Values.basic.image_pull_secret }}
      imagePullSecrets:
      - name: {{ . }}
{{- end }}
{{- with $custom.priority_class_name }}
      priorityClassName: {{ . }}
{{- end }}
{{- if $custom.topology_spread_enable }}
      # A node that fails takes one of them with it.
      topologySpreadConstraints:
      - maxSkew: 1
        topologyKey: kubernetes.io/hostname
        whenUnsatisfiable: ScheduleAnyway
        labelSelector:
          matchLabels: {{ index . 2 }}
{{- end }}
{{- include "batholith.placement" (list $root $component) }}
      securityContext:
        {{- toYaml (index $custom (printf "%s_sc" $component) | default $custom.default_sc) | nindent 8 }}
{{- end -}}

{{/* (list root component): what the container may do. */}}
{{- define "batholith.containerSecurity" }}
{{- $custom := (index . 0).Values.custom }}
        securityContext:
          {{- toYaml (index $custom (printf "%s_main_csc" (index . 1)) | default $custom.default_csc) | nindent 10 }}
{{- end -}}

{{- define "batholith.probes" }}
        # A minute to begin to serve; then the other probes count.
        startupProbe:
          httpGet: {path: /healthz, port: healthz}
          periodSeconds: 2
          timeoutSeconds: 5
          failureThreshold: 30
        livenessProbe:
          httpGet: {path: /healthz, port: healthz}
          periodSeconds: 10
          timeoutSeconds: 5
        readinessProbe:
          httpGet: {path: /readyz, port: healthz}
          periodSeconds: 5
          timeoutSeconds: 5
{{- end -}}

{{/* The accounts of the schedulers that are enabled, as subjects of a binding; nothing where none is. */}}
{{- define "batholith.schedulerAccounts" -}}
{{- $custom := .Values.custom -}}
{{- if $custom.scheduler_enable }}{{ include "batholith.account" (list . (include "batholith.scheduler" .)) }}{{ end -}}
{{- if $custom.agent_scheduler_enable }}{{ include "batholith.account" (list . (include "batholith.agentScheduler" .)) }}{{ end -}}
{{- end -}}

{{/* (list root name): an account of the release, as a subject of a binding. */}}
{{- define "batholith.account" }}
- kind: ServiceAccount
  name: {{ index . 1 }}
  namespace: {{ (index . 0).Release.Namespace }}
{{- end -}}

{{/* Replicas that elect a leader replace each other; without an election there is one at most. */}}
{{- define "batholith.strategy" -}}
{{- if .Values.custom.leader_elect_enable }}
  strategy:
    type: RollingUpdate
    rollingUpdate: {maxUnavailable: 1, maxSurge: 1}
{{- else }}
  # Nothing elects a leader: the old pod ends before the new one begins.
  strategy:
    type: Recreate
{{- end -}}
{{- end -}}

{{/* (list root flag key): the flag, where custom.KEY says anything. */}}
{{- define "batholith.flag" -}}
{{- $value := index (index . 0).Values.custom (index . 2) -}}
{{- if and (not (kindIs "invalid" $value)) (ne (toString $value) "") }}
        - --{{ index . 1 }}={{ kindIs "float64" $value | ternary (int64 $value) $value }}
{{- end -}}
{{- end -}}

{{/* (list root key): flags given word by word, which come last and so win. */}}
{{- define "batholith.extraArgs" -}}
{{- range index (index . 0).Values.custom (index . 1) }}
        - {{ toYaml . }}
{{- end -}}
{{- end -}}

{{/* What Services add for networks with two families of addresses. */}}
{{- define "batholith.ipFamilies" -}}
{{- with .Values.service.ipFamilyPolicy }}
  ipFamilyPolicy: {{ . }}
{{- end -}}
{{- with .Values.service.ipFamilies }}
  ipFamilies: [{{ join ", " . }}]
{{- end -}}
{{- end -}}

{{/* (list root override file): text of a configuration: the override, as text or as a map, or the file. */}}
{{- define "batholith.config" -}}
{{- $root := index . 0 -}}
{{- $override := index $root.Values.custom (index . 1) -}}
{{- if kindIs "string" $override -}}
{{- $override | trimAll "\n" -}}
{{- else if $override -}}
{{- toYaml $override -}}
{{- else -}}
{{- $name := index $root.Values.basic (index . 2) -}}
{{- $text := $root.Files.Get $name -}}
{{- if not $text -}}
{{- fail (printf "basic.%s: the chart holds no file %q; it has config/*.conf, and custom.%s takes a text of your own" (index . 2) $name (index . 1)) -}}
{{- end -}}
{{- $text | trimSuffix "\n" -}}
{{- end -}}
{{- end -}}

{{/* "true" when the scheduler needs the rights of actions that evict, or to take gates off pods. */}}
{{- define "batholith.evicts" -}}
{{- $custom := .Values.custom -}}
{{- if kindIs "bool" $custom.scheduler_evicting_enable -}}
{{- $custom.scheduler_evicting_enable -}}
{{- else -}}
{{- $text := include "batholith.config" (list . "scheduler_config_override" "scheduler_config_file") -}}
{{- $actions := (fromYaml $text).actions | toString -}}
{{- $gates := $custom.scheduler_feature_gates | default "" | toString -}}
{{- or (regexMatch "preempt|reclaim|shuffle" $actions) (contains "SchedulingGatesQueueAdmission=true" $gates) -}}
{{- end -}}
{{- end -}}

{{/* The paths that are served: those that are wanted, and where queues are checked all that see who names one. */}}
{{- define "batholith.enabledAdmissions" -}}
{{- $text := .Values.custom.enabled_admissions | default "" -}}
{{- $paths := list -}}
{{- range splitList "," $text }}{{ $paths = append $paths (trim .) }}{{ end -}}
{{- if .Values.custom.check_queue_access_enable -}}
{{- range list "/jobs/validate" "/podgroups/validate" "/pods/validate" "/cronjobs/validate" "/jobflows/validate" -}}
{{- if not (has . $paths) }}{{ $text = empty $text | ternary . (printf "%s,%s" $text .) }}{{ end -}}
{{- end -}}
{{- end -}}
{{- $text -}}
{{- end -}}

{{/* (list root path): "true" when the webhook of that path is served. */}}
{{- define "batholith.admits" -}}
{{- $paths := list -}}
{{- range splitList "," (include "batholith.enabledAdmissions" (index . 0)) }}{{ $paths = append $paths (trim .) }}{{ end -}}
{{- has (index . 1) $paths -}}
{{- end -}}

{{/* The webhooks that are served, as a list: what the API server is told about each. */}}
{{- define "batholith.webhooks" -}}
{{- $batch := dict "group" "batch.volcano.sh" "version" "v1alpha1" -}}
{{- $scheduling := dict "group" "scheduling.volcano.sh" "version" "v1beta1" -}}
{{- $kinds := dict
  "jobs" $batch "cronjobs" $batch "podgroups" $scheduling "queues" $scheduling
  "pods" (dict "group" "" "version" "v1")
  "hypernodes" (dict "group" "topology.volcano.sh" "version" "v1alpha1")
  "jobflows" (dict "group" "flow.volcano.sh" "version" "v1alpha1") -}}
{{- $known := list
  (list "/jobs/mutate" "mutatejob" "CREATE") (list "/jobs/validate" "validatejob" "CREATE,UPDATE")
  (list "/podgroups/mutate" "mutatepodgroup" "CREATE") (list "/podgroups/validate" "validatepodgroup" "CREATE")
  (list "/pods/mutate" "mutatepod" "CREATE") (list "/pods/validate" "validatepod" "CREATE")
  (list "/queues/mutate" "mutatequeue" "CREATE") (list "/queues/validate" "validatequeue" "CREATE,UPDATE,DELETE")
  (list "/hypernodes/validate" "validatehypernodes" "CREATE,UPDATE")
  (list "/cronjobs/validate" "validatecronjob" "CREATE,UPDATE")
  (list "/jobflows/validate" "validatejobflow" "CREATE,UPDATE") -}}
{{- $paths := list -}}
{{- $wanted := list -}}
{{- $root := . -}}
{{- range $known }}
{{- $path := first . }}
{{- $paths = append $paths $path }}
{{- if eq (include "batholith.admits" (list $root $path)) "true" }}
{{- $resource := index (splitList "/" $path) 1 }}
{{- $wanted = append $wanted (merge (dict
  "path" $path "name" (printf "volcano-admission-service%s" (replace "/" "-" $path))
  "webhook" (index . 1) "operations" (splitList "," (index . 2))
  "resource" $resource "selects" (ne $resource "hypernodes")) (index $kinds $resource)) }}
{{- end }}
{{- end -}}
{{- range splitList "," (.Values.custom.enabled_admissions | default "") -}}
{{- if and (trim .) (not (has (trim .) $paths)) -}}
{{- fail (printf "custom.enabled_admissions: %q is none of %s" (trim .) (join ", " $paths)) -}}
{{- end -}}
{{- end -}}
{{- toYaml $wanted -}}
{{- end -}}
