"""What stores there are, with names and fields as validation wants them."""
from generate import drivers

CSI = [*drivers.CSI[:2], "c.csi.example.com"]
IN_TREE = drivers.IN_TREE
PROVISIONERS = {**{name: p for name, p in drivers.PROVISIONERS.items() if name != "csi-long"}, "csi-c": CSI[2]}


def source(kind, name, read_only=None):
    """The member of a volume (or PersistentVolume) that says where its data is."""
    if kind.startswith("csi"):
        return {"csi": {"driver": PROVISIONERS[kind], "volumeHandle": name}}
    out = drivers.source(kind, name, read_only)
    if kind == "azure":
        out["azureDisk"]["kind"] = "Managed"
        out["azureDisk"]["diskURI"] = f"/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/disks/{name}"
    return out
