"""The words that clusters are made of: label keys and values, namespaces, images."""
OLD_ZONE, OLD_REGION = "failure-domain.beta.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/region"
NEW_ZONE, NEW_REGION = "topology.kubernetes.io/zone", "topology.kubernetes.io/region"
HOSTNAME, INSTANCE = "kubernetes.io/hostname", "beta.kubernetes.io/instance-type"
RACK = "example.com/rack"
AVOID = "scheduler.alpha.kubernetes.io/preferAvoidPods"
KEYS = ["disktype", "num", "tier", "empty", RACK, OLD_ZONE, "absent", HOSTNAME]
VALUES = ["ssd", "hdd", "", "a", "b", "z1", "z2"]
NUMBERS = ["5", "08", "-3", "abc", "1.5", "", "9223372036854775807", "9223372036854775808", "+7", "0", "007", "10",
           "-0", "1e3", "0x10", "1_000", " 5"]
IMAGES = ["nginx", "nginx:1.17", "nginx:latest", "repo:5000/app", "repo:5000/app:latest", "repo:5000/app:v2",
          "busybox@sha256:abcd", "gcr.io/p/big", "gcr.io/p/big:latest", "a/b/c:x", "", ":", "x:", "Nginx:latest"]
EFFECTS = ["NoSchedule", "PreferNoSchedule", "NoExecute"]
NAMESPACES = ["default", "default", "default", "other", "kube-system"]
APPS = ["web", "web", "db", "cache"]
TIERS = ["front", "back", ""]
DELETED = "2026-01-01T00:00:00Z"
