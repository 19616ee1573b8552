"""What stores there are: in-tree plugins and CSI drivers, with the fields that name a volume of each."""
LONG = "a-rather-long-name-of-a-driver-that-needs-a-hash.csi.example.com"  # The key of its limit passes 63 characters.
CSI = ["a.csi.example.com", "b.csi.example.com", LONG]
IN_TREE = {"ebs": "kubernetes.io/aws-ebs", "gce": "kubernetes.io/gce-pd", "azure": "kubernetes.io/azure-disk",
           "cinder": "kubernetes.io/cinder"}
PROVISIONERS = {**IN_TREE, "csi-a": CSI[0], "csi-b": CSI[1], "csi-long": LONG, "local": "kubernetes.io/no-provisioner",
                "now": "kubernetes.io/aws-ebs", "other": "example.com/nfs"}
LIMIT_KEYS = ["attachable-volumes-aws-ebs", "attachable-volumes-gce-pd", "attachable-volumes-azure-disk",
              "attachable-volumes-cinder", "attachable-volumes-csi-" + CSI[0], "attachable-volumes-csi-" + CSI[1]]
DEFAULT_LIMITS = {"ebs": [25, 39], "gce": [16], "azure": [16], "cinder": [256]}


def source(kind, name, read_only=None):
    """The member of a volume (or PersistentVolume) that says where its data is."""
    extra = {} if read_only is None else {"readOnly": read_only}
    if kind == "ebs":
        return {"awsElasticBlockStore": {"volumeID": name, **extra}}
    if kind == "gce":
        return {"gcePersistentDisk": {"pdName": name, **extra}}
    if kind == "azure":
        return {"azureDisk": {"diskName": name, "diskURI": "/" + name, "cachingMode": "ReadWrite", "fsType": "ext4",
                              "kind": "Shared", "readOnly": bool(read_only)}}
    if kind == "cinder":
        return {"cinder": {"volumeID": name, **extra}}
    if kind == "local":
        return {"local": {"path": "/" + name}}
    if kind.startswith("csi"):
        return {"csi": {"driver": PROVISIONERS[kind], "volumeHandle": name}}
    return {"nfs": {"server": "s", "path": "/" + name}}
