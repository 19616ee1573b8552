{{/* What only one of the ways has. Each is an edit of _objects.tpl. */}}

{{- define "winnow.editTLS" -}}
{{- $tls := .root.Values.tls }}
{{- if and (hasPrefix "cert-manager.io/" .object.apiVersion) (not $tls.certManager) }}drop
{{- else if and (eq .object.kind "Certificate") (eq .object.metadata.name "winnow-tls") }}
{{- $_ := set .object.spec "secretName" $tls.secretName }}
{{- else if eq .object.kind "Deployment" }}
{{- $pod := .object.spec.template.spec }}
{{- range $pod.volumes }}
{{- if eq .name "tls" }}{{ $_ := set .secret "secretName" $tls.secretName }}{{ end }}
{{- end }}
{{- $container := first $pod.containers }}
{{- $args := without $container.args "--allowed-client-names=kube-scheduler" "--authorization-webhook=apiserver" }}
{{- $args = append $args (printf "--allowed-client-names=%s" (join "," $tls.allowedClientNames)) }}
{{- if $tls.tokens }}{{ $args = append $args "--authorization-webhook=apiserver" }}{{ end }}
{{- $_ := set $container "args" $args }}
{{- include "winnow.edit" . }}
{{- else }}{{ include "winnow.edit" . }}
{{- end }}
{{- end }}

{{- define "winnow.editGate" -}}
{{- if eq .object.kind "MutatingAdmissionPolicy" }}
{{- $namespaces := list "kube-system" .root.Release.Namespace | uniq }}
{{- $_ := set (first .object.spec.matchConstraints.namespaceSelector.matchExpressions) "values" $namespaces }}
{{- range .object.spec.matchConditions }}
{{- if eq .name "is-decided-by-winnow" }}
{{- $_ := set . "expression" (printf "object.spec.schedulerName in %s" (toJson $.root.Values.gate.schedulerNames)) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{/* Of the accounts only the way's own. */}}
{{- define "winnow.editNodeMetrics" -}}
{{- if eq .object.kind "ClusterRoleBinding" }}
{{- $name := include "winnow.name" .root }}
{{- $own := list }}
{{- range .object.subjects }}{{ if eq .name $name }}{{ $own = append $own . }}{{ end }}{{ end }}
{{- $_ := set .object "subjects" $own }}
{{- end }}
{{- end }}

{{/* The name of the way's objects. */}}
{{- define "winnow.name" -}}
{{ index (dict "nominate" "winnow-nominator" "second" "winnow-scheduler" "scores" "winnow") .Values.way }}
{{- end }}

{{/* Of the monitors only the way's own. */}}
{{- define "winnow.editMonitor" -}}
{{- $values := .root.Values }}
{{- if or (ne .object.kind "ServiceMonitor") (ne .object.metadata.name (include "winnow.name" .root)) }}drop
{{- else }}
{{- $_ := set .object.metadata "labels" (merge .object.metadata.labels $values.serviceMonitor.labels) }}
{{- if and (eq $values.way "scores") $values.tls.enabled }}
{{- range .object.spec.endpoints }}
{{- $_ := set . "port" "https" }}
{{- $_ := set . "scheme" "https" }}
{{- $_ := set . "bearerTokenFile" "/var/run/secrets/kubernetes.io/serviceaccount/token" }}
{{- $ca := dict "secret" (dict "name" $values.tls.secretName "key" "ca.crt") }}
{{- $_ := set . "tlsConfig" (dict "ca" $ca "serverName" (printf "winnow.%s.svc" $.root.Release.Namespace)) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- define "winnow.editAlerts" -}}
{{- $_ := set .object.metadata "labels" (merge .object.metadata.labels .root.Values.prometheusRule.labels) }}
{{- end }}

{{/* Objects of a hook that runs when the release is gone: Helm makes the rights before the Job, and removes all of it. */}}
{{- define "winnow.editWithdraw" -}}
{{- $values := .root.Values }}
{{- $object := .object }}
{{- if and (hasSuffix "-gate" $object.metadata.name) (not $values.gate.enabled) }}drop
{{- else }}
{{- $weight := ternary "1" "0" (eq $object.kind "Job") }}
{{- $_ := set $object.metadata "annotations" (dict "helm.sh/hook" "post-delete" "helm.sh/hook-weight" $weight "helm.sh/hook-delete-policy" "before-hook-creation,hook-succeeded") }}
{{- if eq $object.kind "Job" }}
{{- $container := first $object.spec.template.spec.containers }}
{{- if not $values.gate.enabled }}
{{- $_ := set $container "args" (without $container.args "--nominate-gate=winnow.dev/nominate") }}
{{- end }}
{{- include "winnow.editPod" (dict "root" .root "pod" $object.spec.template.spec) }}
{{- end }}
{{- end }}
{{- end }}
