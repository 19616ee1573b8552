"""DeviceClasses, with the extended resources that they provide."""
from generate.devices.selectors import selector
from generate.devices.words import CLASSES, GPU, NIC


def _selector(m, driver):
    """Not an empty one: upstream dies of it, and no API server has it."""
    return selector(m, driver) or {"cel": {"expression": "true"}}


def _of_driver(m, name, driver):
    spec = {"selectors": [{"cel": {"expression": f'device.driver == "{driver}"'}}]}
    if m.p(.15):
        spec["selectors"].append(_selector(m, driver))
    if name in ("gpu", "nic") and m.p(m.rarely("extended", .95, .4)):
        spec["extendedResourceName"] = GPU if name == "gpu" else NIC
    return spec


def classes(m):
    """Some of those that claims name are missing."""
    specs = {name: _of_driver(m, name, driver) for name, driver in CLASSES.items() if m.p(.99)}
    specs["any"] = {}
    specs["picky"] = {"selectors": [_selector(m, m.one(m.drivers))]}
    if m.p(m.rarely("extended", .3, .02)):  # The newer one provides the resource.
        specs["gpu-next" if m.p(.5) else "better-gpu"] = {"extendedResourceName": GPU}
    if m.p(.5):
        specs["any"]["config"] = [{"opaque": {"driver": m.one(m.drivers), "parameters": {"kind": "Config"}}}]
    return [{"kind": "DeviceClass", "apiVersion": "resource.k8s.io/v1",
             "metadata": {"name": name, "uid": f"uid-class-{name}", "creationTimestamp": f"2026-01-01T00:00:0{m.between(0, 2)}Z"},
             "spec": spec} for name, spec in specs.items()]
