"""The words of today's clusters: valid label values only, as an API server would hold."""
NUMBERS = ["5", "08", "abc", "1.5", "", "9223372036854775807", "9223372036854775808", "0", "007", "10", "1e3", "0x10", "1_000"]
VALUES = ["ssd", "hdd", "", "a", "b", "z1", "z2"]
SCHEDULERS = ["default-scheduler", "second", "third"]
NAMESPACES = ["default", "default", "default", "other", "kube-system", "bare"]
LABELLED = ["default", "other", "kube-system"]  # "bare" has no Namespace object.
IMAGES = ["nginx", "nginx:1.17", "nginx:latest", "repo:5000/app", "repo:5000/app:latest", "repo:5000/app:v2",
          "busybox@sha256:abcd", "gcr.io/p/big", "gcr.io/p/big:latest", "a/b/c:x"]
EXTENDED = ["example.com/gpu", "example.com/widget", "other.example.org/fpga"]
HUGE = {"hugepages-2Mi": 2**21, "hugepages-1Gi": 2**30}
FEATURES = ["RestartAllContainersOnContainerExits", "UserNamespacesHostNetworkSupport", "VolumeBindMountOptions"]
OTHER_FEATURES = ["DRANodeAllocatableResources", "ExtendWebSocketsToKubelet", "InPlacePodLevelResourcesVerticalScaling",
                  "InPlacePodVerticalScalingInitContainers", "AFeatureOfTomorrow"]
