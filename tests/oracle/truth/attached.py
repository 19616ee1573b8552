"""Limits of attached volumes: how many a node has, how many a pod brings, and how many there may be."""
import hashlib
import re

from truth.claims import IN_TREE, OLD_ZONE, ZONE, claim_names, is_of_pod, volumes
from truth.amounts import amount
from truth.expected import Truth, Unknown, compare
from truth.objects import class_of, labels_of

CLASSIC = {"awsElasticBlockStore": ("attachable-volumes-aws-ebs", "volumeID", "kubernetes.io/aws-ebs"),
           "gcePersistentDisk": ("attachable-volumes-gce-pd", "pdName", "kubernetes.io/gce-pd"),
           "azureDisk": ("attachable-volumes-azure-disk", "diskName", "kubernetes.io/azure-disk"),
           "cinder": ("attachable-volumes-cinder", "volumeID", "kubernetes.io/cinder")}
TODAY = {"awsElasticBlockStore": ("ebs.csi.aws.com", "kubernetes.io/aws-ebs"),
         "gcePersistentDisk": ("pd.csi.storage.gke.io", "kubernetes.io/gce-pd"),
         "azureDisk": ("disk.csi.azure.com", "kubernetes.io/azure-disk"),
         "cinder": ("cinder.csi.openstack.org", "kubernetes.io/cinder"),
         "portworxVolume": ("pxd.portworx.com", "kubernetes.io/portworx-volume")}
RULES = {"MaxEBSVolumeCount": "attachable-volumes-aws-ebs", "MaxGCEPDVolumeCount": "attachable-volumes-gce-pd",
         "MaxAzureDiskVolumeCount": "attachable-volumes-azure-disk"}
INSTANCE, NITRO = "beta.kubernetes.io/instance-type", re.compile(r"[cmr]5.*|.*t3|.*z1d.*")
CSI = "attachable-volumes-csi-"
AZURE_FILE = "kubernetes.io/azure-file"


def csi_limit(driver):
    if len(CSI + driver) < 63:
        return CSI + driver
    return CSI + driver[:23] + hashlib.sha1(driver.encode()).hexdigest()[:16]


# The volumes of a pod, as (what limits them, which one it is).

def of_source(source, volume_labels, today):
    """The volume of a PersistentVolume's spec, or of a volume of a pod; None if none counts."""
    for kind, member in source.items():
        if kind == "csi" and member.get("volumeHandle"):
            driver = member["driver"]
            return (driver if today else csi_limit(driver), member["volumeHandle"])
        if not today and kind in CLASSIC:
            return CLASSIC[kind][0], member[CLASSIC[kind][1]]
        if today and kind in TODAY:
            handle = member[IN_TREE[kind]]
            if kind == "gcePersistentDisk":
                zone = volume_labels.get(OLD_ZONE) or volume_labels.get(ZONE) or ""
                if "__" in zone:
                    return None  # The zones of these clusters name no region, which several zones must.
                handle += " in " + zone
            return TODAY[kind][0], handle.rsplit("/", 1)[-1] if kind == "awsElasticBlockStore" else handle
    return None


def by_class(question, claim, name):
    """The volumes that a claim without one may get, by its class."""
    classes = question.cluster.classes
    if question.today:
        made_by = classes.get(class_of(claim), {}).get("provisioner")
        drivers = {plugin: driver for driver, plugin in TODAY.values()}
        return {(drivers.get(made_by, made_by), "of " + name)} if made_by else set()
    found = set()
    in_tree = {plugin: limit for limit, _, plugin in CLASSIC.values()}
    by_spec = classes.get(claim["spec"].get("storageClassName"), {}).get("provisioner")
    if by_spec in in_tree:
        found.add((in_tree[by_spec], "of " + name))
    made_by = classes.get(class_of(claim), {}).get("provisioner")
    if made_by and made_by not in in_tree and made_by != AZURE_FILE:
        found.add((csi_limit(made_by), "of " + name))
    return found


def attachable(question, pod):
    found = set()
    for volume in volumes(pod):
        if one := of_source({kind: member for kind, member in volume.items() if kind in IN_TREE and member}, {},
                            question.today):
            found.add(one)
    for name, is_ephemeral in claim_names(pod, question.today):
        claim = question.cluster.claims.get(name)
        if name.endswith("/") or is_ephemeral and claim and not is_of_pod(claim, pod):
            raise Unknown("claims that make upstream's count fail")
        if not claim:
            continue
        volume = question.cluster.volumes.get(claim["spec"].get("volumeName"))
        if not volume:
            found |= by_class(question, claim, name)
        elif one := of_source(volume["spec"], labels_of(volume), question.today):
            found.add(one)
    return found


def attachments(question, name):
    """Today: what is attached without a pod."""
    for one in question.cluster.kinds["VolumeAttachment"].values():
        volume = question.cluster.volumes.get((one["spec"].get("source") or {}).get("persistentVolumeName"))
        if question.today and one["spec"].get("nodeName") == name and volume and "csi" in volume["spec"]:
            yield one["spec"]["attacher"], volume["spec"]["csi"].get("volumeHandle", "")


# The limits of a node.

def limit_of(question, name, what):
    """How many volumes there may be; None where that has no limit."""
    node, csi_node = question.cluster.nodes[name], question.cluster.kinds["CSINode"].get(name)
    for driver in (csi_node["spec"].get("drivers") or []) if csi_node else []:
        count = (driver.get("allocatable") or {}).get("count")
        if count is not None and what == (driver["name"] if question.today else csi_limit(driver["name"])):
            return count
    if question.today:
        return None
    offered = ((node.get("status") or {}).get("allocatable") or {}).get(what)
    if offered is not None:
        return int(-(-amount(offered) // 1))
    nitro = NITRO.match(labels_of(node).get(INSTANCE, ""))
    return {"attachable-volumes-aws-ebs": 25 if nitro else 39, "attachable-volumes-gce-pd": 16,
            "attachable-volumes-azure-disk": 16}.get(what)


def attached(rule):
    """@param rule: its name, by which it looks at one kind of volume or at those of CSI drivers."""
    def find(question, name):
        here = set()
        for pod in question.cluster.on[name]:
            here |= attachable(question, pod)
        there = here | set(attachments(question, name))
        asked = question.keep("attachable", lambda one: attachable(one, one.pod))
        for what in sorted({limit for limit, _ in asked}):
            if not question.today and what != RULES.get(rule, what if what.startswith(CSI) else ""):
                continue
            limit = limit_of(question, name, what)
            has = sum(1 for one in there if one[0] == what)
            new = sum(1 for one in asked - here if one[0] == what)
            if limit is not None and has + new > limit and (new or rule in RULES):
                yield Truth("attachLimit", driver=what, limit=limit, attached=has, wanted=new)
    return find


def check_attached(question, name, causes):
    """Of NodeVolumeLimits, which has other causes, too. It counts nothing while it misses a claim."""
    if any(claim not in question.cluster.claims for claim, _ in claim_names(question.pod, today=True)):
        return
    yield from compare(causes, list(attached("NodeVolumeLimits")(question, name)))
