"""Pools of devices as slices publish them: of one node or of many, whole or broken."""
import copy

from generate.devices.parts import consume, counter_sets, device
from generate.devices.words import HOSTNAME, ZONE

BREAKS = {"incomplete": 4, "too many": 1, "contradiction": 1, "older": 4, "newer elsewhere": 3, "duplicate": 3,
          "dangling set": 2, "dangling counter": 2, "duplicate set": 1, "groups": 1, "nowhere": 1}


def zone_selector(values):
    return {"nodeSelectorTerms": [{"matchExpressions": [{"key": ZONE, "operator": "In", "values": values}]}]}


def node_selector(m, fleet):
    """Of a slice or a device: one term, as validation wants it, or rarely two, or one that upstream cannot read."""
    draw = m.r.random()
    if draw < m.rarely("nodes", .2, .03):
        two = {"nodeSelectorTerms": zone_selector(["z1"])["nodeSelectorTerms"] + zone_selector(["z2"])["nodeSelectorTerms"]}
        number = {"nodeSelectorTerms": [{"matchExpressions": [{"key": ZONE, "operator": "Gt", "values": ["much"]}]}]}
        field = {"nodeSelectorTerms": [{"matchFields": [{"key": "metadata.uid", "operator": "In", "values": ["x"]}]}]}
        return m.one([two, two, number, field])
    if draw < .25:
        return {"nodeSelectorTerms": [{"matchFields": [
            {"key": "metadata.name", "operator": m.one(["In", "NotIn"]), "values": [m.one(fleet.names)]}]}]}
    if draw < .5:
        return {"nodeSelectorTerms": [{"matchExpressions": [
            {"key": HOSTNAME, "operator": "In", "values": sorted(set(m.some(fleet.names, 1, 4)))},
            {"key": ZONE, "operator": "Exists"}]}]}
    return zone_selector(m.one([["z1"], ["z2"], ["z1", "z2"]]))


class Pool:
    """A pool of a driver in the making. place: what its slices say of nodes; none where each device says it."""

    def __init__(self, m, fleet, driver, name, place):
        self.m, self.fleet, self.driver, self.name, self.place = m, fleet, driver, name, place
        self.generation = m.one([1, 1, 1, 2, 7])
        self.devices, self.sets, self.slices = [], {}, []

    def fill(self, count):
        """Makes the devices."""
        m = self.m
        if m.p(m.rarely("counters", .85, .04)):
            self.sets = counter_sets(m)
        for i in range(count):
            one = device(m, self.driver, f"dev-{i}", i)
            if self.sets and m.p(.85):
                consume(m, one, self.sets)
            if self.place is None:
                self._place_device(one)
            self.devices.append(one)

    def _place_device(self, one):
        draw = self.m.r.random()
        if draw < .35:
            one["nodeName"] = self.m.one(self.fleet.names)
        elif draw < .8:
            one["nodeSelector"] = node_selector(self.m, self.fleet)
        else:
            one["allNodes"] = True

    def add_slice(self, devices=None, sets=None, place=None, generation=None):
        spec = {"driver": self.driver, "pool": {"name": self.name, "generation": generation or self.generation}}
        place = self.place if place is None else place
        spec.update({"perDeviceNodeSelection": True} if place is None else place)
        if sets is not None:
            spec["sharedCounters"] = [{"name": name, "counters": {key: {"value": value} for key, value in counters.items()}}
                                      for name, counters in sets.items()]
        else:
            spec["devices"] = devices
        number = len(self.fleet.slices) + len(self.slices)
        self.slices.append({"kind": "ResourceSlice", "apiVersion": "resource.k8s.io/v1",
                            "metadata": {"name": f"s{self.m.between(10, 99)}-{number}", "uid": f"uid-slice-{number}"},
                            "spec": spec})
        return self.slices[-1]

    def publish(self):
        """Makes slices of it, breaks it, and gives it to the fleet."""
        m = self.m
        parts = min(m.one([1, 1, 1, 2, 3]), max(1, len(self.devices)))
        size = -(-len(self.devices) // parts) or 1
        for i in range(0, max(1, len(self.devices)), size):
            self.add_slice(self.devices[i:i + size], place=self._other_place(i))
        if self.sets:
            shared = {"allNodes": True} if self.place is None or m.p(.2) else None
            self.add_slice(sets=self.sets, place=shared)
        for one in self.slices:
            one["spec"]["pool"]["resourceSliceCount"] = len(self.slices)
        for _ in range(2):
            if m.p(m.rarely("pools", .25, .015)):
                self._break(m.weighted(BREAKS))
        self.fleet.slices += self.slices
        self.fleet.add(self)

    def _other_place(self, i):
        """Of a pool of many nodes each slice may be for some of them."""
        if i == 0 or self.place is None or "nodeName" in self.place or self.m.p(.3):
            return None
        return {"nodeSelector": node_selector(self.m, self.fleet)}

    def _break(self, how):
        m, slices = self.m, self.slices
        first = m.one(slices)["spec"]
        if how in ("incomplete", "too many"):
            for one in slices:
                one["spec"]["pool"]["resourceSliceCount"] += 1 if how == "incomplete" else -1
        elif how == "contradiction":
            first["pool"]["resourceSliceCount"] += 1
        elif how == "older" and self.generation > 1 or how == "newer elsewhere":
            self._other_generation(how)
        elif how == "duplicate" and self.devices:
            again = copy.deepcopy(m.one(self.devices))
            m.one([one["spec"] for one in slices if "devices" in one["spec"]])["devices"].append(again)
        elif how == "dangling set" and self.devices:
            m.one(self.devices)["consumesCounters"] = [{"counterSet": "nosuch", "counters": {"memory": {"value": "1"}}}]
        elif how == "dangling counter" and self.devices and self.sets:
            m.one(self.devices)["consumesCounters"] = [{"counterSet": "set-0", "counters": {"nosuch": {"value": "1"}}}]
        elif how == "duplicate set" and self.sets:
            self.add_slice(sets={"set-0": {"memory": "1Gi"}})
            for one in slices:
                one["spec"]["pool"]["resourceSliceCount"] = len(slices)
        elif how == "groups" and any("consumesCounters" in one for one in self.devices):
            m.one([one for one in self.devices if "consumesCounters" in one])["consumesCounters"][0]["compatibilityGroups"] = ["g"]
        elif how == "nowhere":
            for key in ("nodeName", "nodeSelector", "allNodes", "perDeviceNodeSelection"):
                first.pop(key, None)

    def _other_generation(self, how):
        """What a driver is replacing: upstream's cache has slices of both."""
        m = self.m
        generation = self.generation - 1 if how == "older" else self.generation + 1
        place = {"nodeName": m.one(self.fleet.names)} if how != "older" and m.p(.8) else self.place
        others = [device(m, self.driver, f"dev-{i}", i) for i in range(m.between(1, 3))]
        if place is None:
            for one in others:
                one["allNodes"] = True
        one = self.add_slice(others, place=place, generation=generation)
        one["spec"]["pool"]["resourceSliceCount"] = 1
