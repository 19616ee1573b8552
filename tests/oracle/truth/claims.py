"""Claims and volumes that keep a pod away. These rules are held against the truth cause by cause: see causes.py."""
import re

from undeparted import value

from truth import labels
from truth.nodes import affinity_failures
from truth.objects import COMPLETED, class_of, full_name, is_deleted, labels_of

ZONE, REGION = "topology.kubernetes.io/zone", "topology.kubernetes.io/region"
OLD_ZONE, OLD_REGION = "failure-domain.beta.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/region"
IN_TREE = {"awsElasticBlockStore": "volumeID", "gcePersistentDisk": "pdName", "azureDisk": "diskURI",
           "cinder": "volumeID", "portworxVolume": "volumeID"}
REQUIREMENT = re.compile(r"(\S*) (In|NotIn|Exists|DoesNotExist|Gt|Lt)(?: \((.*)\))?")


def volumes(pod):
    return pod["spec"].get("volumes") or []


def claim_names(pod, today):
    """[(the full name of a claim that the pod mounts, whether it is of an ephemeral volume)]"""
    namespace = pod["metadata"]["namespace"]
    for volume in volumes(pod):
        if volume.get("persistentVolumeClaim"):
            yield f"{namespace}/{volume['persistentVolumeClaim']['claimName']}", False
        elif volume.get("ephemeral") and today:
            yield f"{namespace}/{pod['metadata']['name']}-{volume['name']}", True


def mounts(pod, claim):
    return (claim, False) in claim_names(pod, False)


# Disks that are in use.

def disks(pod):
    """(the disk's text, what it is known by, whether it is only read) of each inline disk that only one may write."""
    for volume in volumes(pod):
        if one := volume.get("gcePersistentDisk"):
            yield "gcePersistentDisk " + one["pdName"], {("gce", one["pdName"])}, bool(one.get("readOnly"))
        if one := volume.get("awsElasticBlockStore"):
            yield "awsElasticBlockStore " + one["volumeID"], {("ebs", one["volumeID"])}, False
        if one := volume.get("iscsi"):
            yield "iscsi " + one["iqn"], {("iscsi", one["iqn"])}, bool(one.get("readOnly"))
        if one := volume.get("rbd"):
            pool = one.get("pool") or "rbd"
            known_by = {("rbd", monitor, pool, one["image"]) for monitor in one["monitors"]}
            yield f"rbd {pool}/{one['image']}", known_by, bool(one.get("readOnly"))


def disk_conflicts(question, name):
    """{the text of a disk of the node that conflicts with the pod's: the pods that have it}"""
    found = {}
    for pod in question.cluster.on[name]:
        for text, known_by, reads in disks(pod):
            if any(known_by & other and not (reads and only) for _, other, only in disks(question.pod)):
                found.setdefault(text, set()).add(full_name(pod))
    return found


def check_disks(question, name, causes):
    found = disk_conflicts(question, name)
    for cause in causes:
        if cause["heldBy"] not in found.get(cause["disk"], ()):
            yield "is not true", cause, found
    for text in found.keys() - {cause["disk"] for cause in causes}:
        yield "is left out", causes, text


def check_in_use(question, _, causes):
    """A claim that only one pod may use, and that one uses."""
    found = {}
    for claim, is_ephemeral in claim_names(question.pod, True):
        there = question.cluster.claims.get(claim)
        if is_ephemeral or not there or "ReadWriteOncePod" not in there["spec"].get("accessModes", []):
            continue
        holders = {full_name(pod) for pod, _ in question.cluster.running if mounts(pod, claim)}
        if holders:
            found[claim] = holders
    for cause in causes:
        if cause.get("heldBy") not in found.get(cause["claim"], ()):
            yield "is not true", cause, {claim: sorted(pods) for claim, pods in found.items()}
    for claim in found.keys() - {cause["claim"] for cause in causes}:
        yield "is left out", causes, claim


# Claims for which a pod waits, whatever the node is.

def is_bound(claim):
    return bool(claim["spec"].get("volumeName")) and COMPLETED in (claim["metadata"].get("annotations") or {})


def mode_of(question, claim):
    made_by = question.cluster.classes.get(class_of(claim))
    return made_by and (made_by.get("volumeBindingMode") or "Immediate")


def is_of_pod(claim, pod):
    owners = [one for one in claim["metadata"].get("ownerReferences") or [] if one.get("controller")]
    return bool(owners) and owners[0]["uid"] == pod["metadata"].get("uid", "")


def reasons(question, claim, is_ephemeral):
    """Why the claim keeps the pod waiting, in the words of causes."""
    there = question.cluster.claims.get(claim)
    if not there:
        return ["is not there"]
    found = ["is being deleted"] if is_deleted(there) else []
    if (there.get("status") or {}).get("phase") == "Lost":
        found.append(f"is Lost: its volume {there['spec'].get('volumeName', '')} is gone")
    if is_ephemeral and not is_of_pod(there, question.pod):
        found.append("is not this pod's own")
    waits = mode_of(question, there) == "WaitForFirstConsumer" and not there["spec"].get("volumeName")
    if not is_bound(there) and not waits:
        found.append(f"is not bound, and its class {class_of(there)} does not wait for a pod" if class_of(there) else
                     "is not bound, and has no class")
    return found


def check_claims(question, _, causes):
    asked = dict(claim_names(question.pod, question.today))
    for cause in causes:
        claim = cause["claim"]
        right = reasons(question, claim, asked[claim]) if claim in asked else []
        if cause["why"] not in right:
            yield "is not true", cause, right


# Volumes that a claim is bound to.

def bound(question, cause):
    """The claim of a cause, if the pod mounts it and it names the cause's volume; and the volume, if it is there."""
    claim = question.cluster.claims.get(cause["claim"])
    asked = dict(claim_names(question.pod, question.today))
    if cause["claim"] not in asked or not claim or claim["spec"].get("volumeName") != cause["volume"]:
        return None, None
    return claim, question.cluster.volumes.get(cause["volume"])


def check_missing(question, _, causes):
    for cause in causes:
        claim, volume = bound(question, cause)
        if not claim or volume:
            yield "is not true", cause, [claim, volume]


def is_translated(question, volume):
    """Whether the volume may be asked about as one of a CSI driver, with other labels."""
    return question.today and any(kind in volume["spec"] for kind in IN_TREE)


def requirement_text(fields):
    """As causes write a requirement of a volume; one of a term that holds nowhere may have any words."""
    if fields["kind"] == "term":
        return None
    text = f"{fields.get('key', fields.get('field'))} {fields['operator']}"
    return f"{text} ({', '.join(fields['wanted'])})" if "wanted" in fields else text


def check_volume_affinity(question, name, causes):
    """Of volumes that may be translated nothing but that the node does not meet what is told."""
    node, told = question.cluster.nodes[name], {}
    for cause in causes:
        claim, volume = bound(question, cause)
        if not claim or not volume:
            yield "is not true", cause, "the pod has no such claim, or the claim no such volume"
        elif is_translated(question, volume):
            yield from check_requirement(node, cause)
        else:
            text = None if cause["requirement"].startswith("a term that ") else cause["requirement"]
            told.setdefault(cause["volume"], set()).add((text, cause.get("value")))
    for volume, found in told.items():
        required = (question.cluster.volumes[volume]["spec"].get("nodeAffinity") or {}).get("required")
        failures = affinity_failures(required, node, "volume") if required is not None else []
        right = {(requirement_text(truth.fields), truth.fields.get("value")) for truth in failures}
        if found != right:
            yield "is not true", sorted(map(str, found)), sorted(map(str, right))


def check_requirement(node, cause):
    found = REQUIREMENT.fullmatch(cause["requirement"])
    if not found:
        if not cause["requirement"].startswith("a term that "):
            yield "has a requirement that cannot be read", cause, None
        return
    key, operator, values = found[1], found[2], tuple(found[3].split(", ")) if found[3] is not None else ()
    there = {key: node["metadata"]["name"]} if key == "metadata.name" else labels_of(node)
    if key != "metadata.name" and labels.holds((key, operator, values), there):
        yield "the node meets the requirement", cause, there
    if there.get(key) != cause.get("value"):
        yield "value is not right", cause, there.get(key)


def zones(text):
    """The zones of a volume's label; none if it is not valid, and then it asks for nothing."""
    found = [one.strip() for one in text.split("__")]
    return found if all(found) else []


def asked_zones(question):
    """{(claim, volume, the volume's label): (zones, the labels of nodes that are compared, the first first)}"""
    found = {}
    for claim, is_ephemeral in claim_names(question.pod, question.today):
        there = question.cluster.claims.get(claim)
        volume = there and question.cluster.volumes.get(there["spec"].get("volumeName"))
        if not volume or is_ephemeral:
            continue
        for old, new in (OLD_ZONE, ZONE), (OLD_REGION, REGION):
            has = [key for key in (old, new) if key in labels_of(volume)]
            if question.exact:
                has, compared = [key for key in has if key == old], {old: [old]}
            elif question.today:
                compared = {old: [old, new], new: [new]}
            else:
                has, compared = has[:1], {old: [old, new], new: [old, new]}
            for key in has:
                if zones(labels_of(volume)[key]):
                    place = (claim, volume["metadata"]["name"], key)
                    found[place] = (zones(labels_of(volume)[key]), compared[key])
    return found


def check_zones(question, name, causes):
    there, found = labels_of(question.cluster.nodes[name]), {}
    for place, (wanted, compared) in question.keep("zones", asked_zones).items():
        has = next((there[key] for key in compared if key in there), None)
        if has not in wanted:
            found[place] = (sorted(set(wanted)), has)
    for cause in causes:
        place = (cause["claim"], cause["volume"], cause["key"])
        if found.get(place) != (sorted(set(cause["wanted"])), cause.get("value")):
            yield "is not true", cause, {str(place): one for place, one in found.items()}
    for place in found.keys() - {(cause["claim"], cause["volume"], cause["key"]) for cause in causes}:
        yield "is left out", causes, place


# Claims that no volume can be had for.

def check_no_volume(question, _, causes):
    asked = dict(claim_names(question.pod, question.today))
    for cause in causes:
        claim = question.cluster.claims.get(cause["claim"])
        if cause["claim"] not in asked or not claim or claim["spec"].get("volumeName"):
            yield "is not true", cause, claim
        elif class_of(claim) != cause["class"] or mode_of(question, claim) != "WaitForFirstConsumer":
            yield "is not true", cause, claim
        elif value(claim["spec"]["resources"]["requests"]["storage"]) != value(cause["wanted"]):
            yield "wanted is not right", cause, claim


def check_drivers(question, name, causes):
    csi_node = question.cluster.kinds["CSINode"].get(name)
    installed = {one["name"] for one in csi_node["spec"].get("drivers") or []} if csi_node else set()
    for cause in causes:
        driver = question.cluster.kinds["CSIDriver"].get(cause["driver"])
        if cause["driver"] in installed or not driver or not driver["spec"].get("preventPodSchedulingIfMissing"):
            yield "is not true", cause, sorted(installed)
