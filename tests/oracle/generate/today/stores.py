"""What stores there are, with names and fields as validation wants them."""
from generate import drivers

CSI = [*drivers.CSI[:2], "c.csi.example.com"]
IN_TREE = {**drivers.IN_TREE, "portworx": "kubernetes.io/portworx-volume"}
PROVISIONERS = {**{name: p for name, p in drivers.PROVISIONERS.items() if name != "csi-long"}, "csi-c": CSI[2],
                "portworx": IN_TREE["portworx"]}


def source(kind, name, read_only=None):
    """The member of a volume (or PersistentVolume) that says where its data is."""
    if kind.startswith("csi"):
        return {"csi": {"driver": PROVISIONERS[kind], "volumeHandle": name}}
    if kind == "portworx":
        return {"portworxVolume": {"volumeID": name, **({} if read_only is None else {"readOnly": read_only})}}
    out = drivers.source(kind, name, read_only)
    if kind == "azure":
        out["azureDisk"]["kind"] = "Managed"
        out["azureDisk"]["diskURI"] = f"/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/disks/{name}"
    return out
