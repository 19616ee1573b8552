{{/*
The objects of a plain manifest, with the values put in. The plain manifests are the one source: files/ links to them.
Takes a dict: root, file, and edit, the name of a template that edits each object in place.
*/}}
{{- define "winnow.objects" -}}
{{- $root := .root }}
{{- $edit := .edit }}
{{- $text := $root.Files.Get (printf "files/%s" .file) | required (printf "the chart lacks files/%s" .file) }}
{{- $text = $text | replace "amespace: kube-system" (printf "amespace: %s" $root.Release.Namespace) }}
{{- $text = $text | replace ".kube-system.svc" (printf ".%s.svc" $root.Release.Namespace) }}
{{- $text = $text | replace "matchNames: [kube-system]" (printf "matchNames: [%s]" $root.Release.Namespace) }}
{{- $text = $text | replace "REGISTRY/winnow:TAG" (include "winnow.image" $root) }}
{{- $text = $text | replace "registry.k8s.io/kube-scheduler:v1.37.2" $root.Values.kubeScheduler.image }}
{{- range splitList "\n---\n" $text }}
{{- $object := print . "\n" | fromYaml }}
{{- if hasKey $object "Error" }}{{ fail (printf "%s: %s" $.file $object.Error) }}{{ end }}
{{- if include $edit (dict "root" $root "object" $object) | trim | ne "drop" }}
---
{{ toYaml $object }}
{{- end }}
{{- end }}
{{- end }}

{{- define "winnow.image" -}}
{{ required "image.repository is required: where you have pushed the image" .Values.image.repository }}:
{{- required "image.tag is required" .Values.image.tag }}
{{- end }}

{{/* Edits an object of any way. Prints "drop" for one that is not wanted. */}}
{{- define "winnow.edit" -}}
{{- $values := .root.Values }}
{{- $object := .object }}
{{- if eq $object.kind "PodDisruptionBudget" }}
{{- if or (not $values.podDisruptionBudget) (lt (int $values.replicas) 2) }}drop{{ end }}
{{- else if eq $object.kind "ConfigMap" }}
{{- if $values.rules }}{{ include "winnow.editRules" . }}{{ end }}
{{- if $values.bind }}{{ include "winnow.editBind" . }}{{ end }}
{{- if $values.nodeMetrics.prometheusURL }}
{{- $_ := set $object.data "node-metrics.yaml" (dict "queries" $values.nodeMetrics.queries | toYaml) }}
{{- end }}
{{- else if eq $object.kind "Deployment" }}{{ include "winnow.editDeployment" . }}
{{- end }}
{{- end }}

{{- define "winnow.editRules" -}}
{{- range $key := list "rules.yaml" "policy.yaml" }}
{{- if hasKey $.object.data $key }}{{ $_ := set $.object.data $key $.root.Values.rules }}{{ end }}
{{- end }}
{{- end }}

{{/* Has the extender of kube-scheduler's file bind. */}}
{{- define "winnow.editBind" -}}
{{- $file := index .object.data "kube-scheduler.yaml" }}
{{- $_ := set .object.data "kube-scheduler.yaml" ($file | replace "\n  weight: " "\n  bindVerb: bind\n  weight: ") }}
{{- end }}

{{- define "winnow.editDeployment" -}}
{{- $values := .root.Values }}
{{- $template := .object.spec.template }}
{{- $pod := $template.spec }}
{{- $_ := set .object.spec "replicas" $values.replicas }}
{{- if not $values.topologySpread }}{{ $_ := unset $pod "topologySpreadConstraints" }}{{ end }}
{{- include "winnow.editPod" (dict "root" .root "pod" $pod) }}
{{- with $values.podLabels }}{{ $_ := set $template.metadata "labels" (merge $template.metadata.labels .) }}{{ end }}
{{- with $values.podAnnotations }}{{ $_ := set $template.metadata "annotations" . }}{{ end }}
{{- range $pod.containers }}
{{- if eq .name "winnow" }}
{{- $_ := set . "resources" $values.resources }}
{{- $_ := set . "args" (concat .args (include "winnow.args" $.root | fromYamlArray) $values.extraArgs) }}
{{- end }}
{{- end }}
{{- end }}

{{/* Where a pod runs, and how its image comes. */}}
{{- define "winnow.editPod" -}}
{{- $values := .root.Values }}
{{- $pod := .pod }}
{{- $_ := set $pod "priorityClassName" $values.priorityClassName }}
{{- if not $values.priorityClassName }}{{ $_ := unset $pod "priorityClassName" }}{{ end }}
{{- range $field := list "imagePullSecrets" "nodeSelector" "tolerations" "affinity" }}
{{- with index $values $field }}{{ $_ := set $pod $field . }}{{ end }}
{{- end }}
{{- range $pod.containers }}
{{- if $values.image.pullPolicy }}{{ $_ := set . "imagePullPolicy" $values.image.pullPolicy }}{{ end }}
{{- end }}
{{- end }}

{{/* The flags that values ask for. */}}
{{- define "winnow.args" -}}
{{- $args := list }}
{{- if and (eq .Values.way "nominate") .Values.gate.enabled }}
{{- $args = append $args "--nominate-gate=winnow.dev/nominate" }}
{{- end }}
{{- if .Values.bind }}{{ $args = append $args "--enable-bind" }}{{ end }}
{{- $sources := list }}
{{- if .Values.nodeMetrics.metricsServer }}{{ $sources = append $sources "metrics-server" }}{{ end }}
{{- with .Values.nodeMetrics.prometheusURL }}{{ $sources = append $sources (printf "prometheus=%s" .) }}{{ end }}
{{- if $sources }}{{ $args = append $args (printf "--node-metrics=%s" (join "," $sources)) }}{{ end }}
{{- if .Values.nodeMetrics.prometheusURL }}
{{- $args = append $args "--node-metrics-queries=/etc/winnow/node-metrics.yaml" }}
{{- end }}
{{- toYaml $args }}
{{- end }}
