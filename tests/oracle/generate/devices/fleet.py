"""All devices of a cluster."""
from generate.devices.pools import Pool, node_selector
from generate.devices.words import EFFECTS, TAINT_KEYS


class Fleet:
    """The slices, and of each device where it can be allocated.

    names       of the nodes
    devices     (driver, pool, device, node) of all; the node is "" where several may have it
    """

    def __init__(self, m, names):
        self.names, self.slices, self.devices = names, [], []
        for driver in m.drivers:
            if m.p(m.rarely("nodes", .8, .15)):
                self._network(m, driver)
            if m.p(.9) or not self.slices:
                self._local(m, driver)

    def add(self, pool):
        self.devices += [(pool.driver, pool.name, one, (pool.place or {}).get("nodeName") or one.get("nodeName", ""))
                         for one in pool.devices]

    def reachable(self, node):
        return [one for one in self.devices if one[3] in ("", node)]

    def _local(self, m, driver):
        for name in self.names:
            if not m.p(.9):
                continue
            pools = m.one([1, 1, 1, 2, 3]) if not m.many else m.between(1, 3)
            for i in range(pools):
                pool = Pool(m, self, driver, name if i == 0 else f"{name}-{i}", {"nodeName": name})
                pool.fill(m.between(0, 16 // pools) if m.many else m.between(1, 5) if pools == 1 else m.between(0, 3))
                pool.publish()

    def _network(self, m, driver):
        """Pools of several nodes: for all, for those of a selector, or each device by itself."""
        for i in range(m.one([1, 1, 2])):
            place = m.one([{"allNodes": True}, {"nodeSelector": node_selector(m, self)}, None])
            pool = Pool(m, self, driver, f"net-{i}", place)
            pool.fill(m.between(1, 4))
            pool.publish()

    def rules(self, m):
        """DeviceTaintRules; one without a selector selects nothing, an empty one selects all."""
        out = []
        for i in range(m.between(1, 3) if m.p(m.rarely("taints", .8, .05)) else 0):
            selector = {}
            if self.devices:
                driver, pool, one, _ = m.one(self.devices)
                for key, value, chance in (("driver", driver, .7), ("pool", pool, .4), ("device", one["name"], .4)):
                    if m.p(chance):
                        selector[key] = value
            spec = {"taint": {"key": m.one(TAINT_KEYS), "value": "yes", "effect": m.one(EFFECTS), "timeAdded": "2026-01-01T00:00:00Z"}}
            if m.p(.95):
                spec["deviceSelector"] = selector
            out.append({"kind": "DeviceTaintRule", "apiVersion": "resource.k8s.io/v1",
                        "metadata": {"name": f"rule-{i}", "uid": f"uid-rule-{i}"}, "spec": spec})
        return out
