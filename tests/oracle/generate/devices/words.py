"""Names and amounts of devices that claims and slices share."""
MODELS = ["a100", "h100", "t4"]
VERSIONS = ["1.0.0", "1.2.0", "2.0.0-rc.1", "2.0.0"]
NUMA, ROOT = "shared.example.org/numa", "resource.kubernetes.io/pcieRoot"
MEMORY = ["8Gi", "16Gi", "40Gi", "80G", "40960Mi"]
CORES = ["1", "4", "8", "8000m"]
WEIGHTS = ["1.5", "10", "2500m", "100"]
HUGE = "9E"
CAPACITIES = {"memory": MEMORY, "cores": CORES, "weight": WEIGHTS}
# What claims request of a capacity.
ASKED = {"memory": ["1Gi", "4Gi", "8Gi", "10G", "20Gi", "16384Mi", "100Gi", "0"],
         "cores": ["1", "2", "3", "500m", "1.3", "8", "1e1"],
         "weight": ["0.5", "0.7", "1.25", "1", "250m", "2.4", "10"]}
# What no range can reckon with: it exceeds 64 bits, also once it is rounded up, or has no thousandths.
UNREPRESENTABLE = ["10E", "9223372036854775", "0.0001", "7E", "9223372036854775807"]
CLASSES = {"gpu": "gpu.example.com", "nic": "nic.example.com", "accel": "a.example.com"}
GPU, NIC, NONE = "example.com/gpu", "example.com/nic", "example.com/none"
IMPLICIT = "deviceclass.resource.kubernetes.io/"
EFFECTS = ["NoSchedule", "NoSchedule", "NoExecute", "None"]
TAINT_KEYS = ["unhealthy", "example.com/busy"]
READY, ATTACHED, FAILED = "example.com/ready", "example.com/attached", "example.com/failed"
ZONE = "topology.kubernetes.io/zone"
HOSTNAME = "kubernetes.io/hostname"
PAST, FUTURE = "2020-01-01T00:00:00Z", "2200-01-01T00:00:00Z"  # Of bindings that have timed out, or have long to go.
