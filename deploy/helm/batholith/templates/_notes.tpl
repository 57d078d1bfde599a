{{/* What is said after an installation. */}}
{{- define "batholith.notes" -}}
{{ .Chart.Name }} {{ .Chart.Version }} is installed as {{ .Release.Name }} in namespace {{ .Release.Namespace }}.

    kubectl -n {{ .Release.Namespace }} get deployments
    kubectl -n {{ .Release.Namespace }} get lease

{{- $basic := .Values.basic }}
{{- $custom := .Values.custom }}
{{- $idle := list }}
{{- range $key, $value := $basic }}
{{- if and $value (or (hasPrefix "agent_image_" $key) (hasPrefix "hypernode_" $key)) }}{{ $idle = append $idle (printf "basic.%s" $key) }}{{ end }}
{{- end }}
{{- range $key, $value := $custom }}
{{- $named := has $key (list "kube_state_metrics_ns" "admission_init_ttl" "admission_init_csc" "go_memlimit_enable" "scheduler_pprof_enable" "scheduler_node_worker_threads" "scheduler_percentage_nodes_to_find" "ignored_provisioners") }}
{{- $named = or $named (and (eq $key "scheduler_sharding_name") (eq ($custom.scheduler_sharding_mode | default "none") "none")) }}
{{- $named = or $named (and (eq $key "agent_scheduler_sharding_name") (eq ($custom.agent_scheduler_sharding_mode | default "none") "none")) }}
{{- $named = or $named (and (hasPrefix "agent_" $key) (not (hasPrefix "agent_scheduler_" $key))) (and (hasPrefix "hypernode_controller_" $key) (ne $key "hypernode_controller_mode")) }}
{{- if and $value $named }}{{ $idle = append $idle (printf "custom.%s" $key) }}{{ end }}
{{- end }}
{{- with $idle }}

Without effect here, though it means something to Volcano: {{ join ", " . }}.
{{- end }}
{{- if $custom.metrics_enable }}

custom.metrics_enable: the dashboards are there as ConfigMaps (label grafana_dashboard); Prometheus, Grafana
and kube-state-metrics are not part of this chart.
{{- end }}
{{- if not $custom.admission_enable }}

Without webhooks {{ or $custom.vap_enable $custom.map_enable | ternary "the API server checks by policies" "the controllers say on a job itself what is wrong with it" }}.
{{- end }}

After helm uninstall this is left, because the daemons made it:

    kubectl -n {{ .Release.Namespace }} delete --ignore-not-found secret/{{ $basic.admission_secret_name }} lease/{{ $custom.scheduler_leader_elect_resource_name }} lease/{{ $custom.controller_leader_elect_resource_name }}{{ if $custom.agent_scheduler_enable }} lease/{{ $custom.agent_scheduler_leader_elect_resource_name }}{{ end }}
{{- if $custom.admission_self_register }}
    kubectl get mutatingwebhookconfigurations,validatingwebhookconfigurations -o name | grep /volcano-admission-service- | xargs -r kubectl delete
{{- end }}

and the definitions with all Jobs and Queues: kubectl delete crd, if nobody needs them any more.
{{- end -}}
