"""CSI drivers and what they say of themselves: capacities, the nodes that they run on, and the volumes attached there."""
from generate.today import stores
from generate.words import HOSTNAME, NEW_ZONE

IN_TREE_DRIVERS = {"kubernetes.io/aws-ebs": "ebs.csi.aws.com", "kubernetes.io/gce-pd": "pd.csi.storage.gke.io",
                   "kubernetes.io/azure-disk": "disk.csi.azure.com", "kubernetes.io/cinder": "cinder.csi.openstack.org",
                   "kubernetes.io/portworx-volume": "pxd.portworx.com"}
MIGRATED = "storage.alpha.kubernetes.io/migrated-plugins"
ALL = stores.CSI + list(IN_TREE_DRIVERS.values())


def _drivers(m, storage):
    """At most one keeps pods away where it is missing: of several upstream names any."""
    strict = m.one(stores.CSI[:2] * 2 + ALL) if m.p(.5 if m.about("volumes") else .1) else None
    storage.strict, out = strict, []
    for name in ALL:
        spec = {"attachRequired": True, "podInfoOnMount": False, "storageCapacity": False, "requiresRepublish": False,
                "fsGroupPolicy": "ReadWriteOnceWithFSType", "volumeLifecycleModes": ["Persistent"]}
        if name in stores.CSI and m.p(.9 if storage.mood == "capacity" else .08):
            spec["storageCapacity"] = True
        if name == strict or m.p(.1):
            spec["preventPodSchedulingIfMissing"] = name == strict
        if name == strict or m.p(.95 if storage.mood == "capacity" else .8):
            out.append({"kind": "CSIDriver", "apiVersion": "storage.k8s.io/v1", "metadata": {"name": name}, "spec": spec})
    return out


def _segments(m, storage):
    """Parts of the cluster, none of which overlap: of several capacities that fit upstream takes any."""
    kind = m.between(0, 9)
    if kind <= 4:
        return [{"matchLabels": {HOSTNAME: name}} for name in storage.node_names]
    if kind <= 7:
        return [{"matchLabels": {NEW_ZONE: zone}} for zone in ("z1", "z2", "z3")]
    if kind == 8:
        return [{"matchExpressions": [{"key": "disktype", "operator": op, "values": ["ssd"]}]} for op in ("In", "NotIn")]
    return [{}]


def _amount(m):
    return f"{m.one([m.between(1, 120), m.between(60, 300), m.between(60, 300), 1000])}Gi"


def _capacities(m, storage):
    out = []
    for c in storage.classes:
        if c["provisioner"] not in stores.CSI or not m.p(.9 if storage.mood == "capacity" else .1):
            continue
        for i, segment in enumerate(_segments(m, storage)):
            if m.p(.12):
                continue
            one = {"kind": "CSIStorageCapacity", "apiVersion": "storage.k8s.io/v1",
                   "metadata": {"name": f"{c['metadata']['name']}-{i}", "namespace": "kube-system"},
                   "storageClassName": c["metadata"]["name"], "nodeTopology": segment}
            if m.p(.93):
                one["capacity"] = _amount(m)
            if m.p(.2 if "capacity" in one else .03):  # Upstream dies of a maximum without a capacity.
                one["maximumVolumeSize"] = _amount(m)
            if m.p(.04):
                del one["nodeTopology"]
            out.append(one)
    return out


def _csi_driver(m, storage, name):
    driver = {"name": name, "nodeID": "x", "topologyKeys": None if m.p(.5) else [NEW_ZONE]}
    if m.p(.85):
        many = {"limits": [0, 1, 2, 2, 3, 3, 4, 5, 8], "attached": [2, 3, 4, 5, 20]}.get(storage.mood, [20])
        driver["allocatable"] = {"count": m.one(many)} if m.p(.95) else {}
    return driver


def csi_nodes(m, storage):
    """A CSINode for most nodes. An in-tree store counts by its driver only where the node says that it is migrated."""
    out = []
    for name in storage.node_names:
        if not m.p(m.rarely("volumes", .9, .5)):
            continue
        meta = {"name": name, "uid": "csinode-" + name}
        if m.p(.9):
            meta["annotations"] = {MIGRATED: ",".join(plugin for plugin in IN_TREE_DRIVERS if m.p(.85))}
        found = [_csi_driver(m, storage, driver) for driver in ALL if m.p(.6 if driver == storage.strict else .85)]
        out.append({"kind": "CSINode", "apiVersion": "storage.k8s.io/v1", "metadata": meta, "spec": {"drivers": found}})
    return out


def _attachment(m, storage, i):
    """A volume that is attached to a node, whether a pod of the node has it or not."""
    attachment = {"kind": "VolumeAttachment", "apiVersion": "storage.k8s.io/v1", "metadata": {"name": f"va-{i}"},
                  "spec": {"attacher": m.one(ALL), "nodeName": m.one(storage.node_names + ["nowhere"]), "source": {}},
                  "status": {"attached": m.p(.9)}}
    volumes = [v for v in storage.volumes if "csi" in v["spec"]]
    if m.p(.7) and volumes:
        volume = m.one(volumes)
        attachment["spec"]["attacher"] = volume["spec"]["csi"]["driver"]
        attachment["spec"]["source"] = {"persistentVolumeName": volume["metadata"]["name"]}
    else:
        attachment["spec"]["source"] = {"persistentVolumeName": m.one(
            [v["metadata"]["name"] for v in storage.volumes] + ["pv-gone"])}
    return attachment


def objects(m, storage):
    count = m.between(5, 25) if storage.mood == "attached" else m.between(0, 6) if storage.mood == "limits" else m.p(.2)
    return (_drivers(m, storage) + _capacities(m, storage) + csi_nodes(m, storage)
            + [_attachment(m, storage, i) for i in range(count)])
