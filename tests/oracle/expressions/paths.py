"""What expressions may read of a cluster's own objects: paths to fields that are there, and to some that are not."""
import pathlib
import re

ROW = re.compile(r'"(\w+)\.(\w+) (?:(list|map) )?(\w+)"')
TYPES = {"bool": "bool", "int": "int", "string": "string", "quantity": "string", "timestamp": "timestamp", "dyn": "dyn"}
FIELDS = {}
for row in (pathlib.Path(__file__).resolve().parents[3] / "cluster/fields/v1_fields.inc").read_text().splitlines():
    owner, field, shape, kind = ROW.search(row).groups()
    FIELDS.setdefault(owner, {})[field] = (shape, kind)
IDENTIFIER = re.compile(r"[A-Za-z_]\w*$")


def quoted(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n") + "'"


def _type(shape, kind):
    one = TYPES.get(kind, kind)
    return f"list({one})" if shape == "list" else f"map(string,{one})" if shape == "map" else one


class Paths:
    """Of one object: (path, type, path of has() or "", the path with optional steps)."""

    def __init__(self, dice, variable, roots, value):
        self.dice, self.found = dice, []
        for root, kind in roots.items():
            if root in value:
                self._object(f"{variable}.{root}", f"{variable}.?{root}", kind, value[root])

    def _object(self, path, optional, kind, value):
        for field, of in value.items():
            if field in FIELDS.get(kind, {}):
                shape, inner = FIELDS[kind][field]
                self._field(f"{path}.{field}", f"{optional}.?{field}", shape, inner, of)
        missing = [field for field in FIELDS.get(kind, {}) if field not in value]
        for field in self.dice.r.sample(missing, min(2, len(missing))):
            self.found.append((f"{path}.{field}", _type(*FIELDS[kind][field]), f"{path}.{field}", f"{optional}.?{field}"))

    def _field(self, path, optional, shape, kind, value):
        self.found.append((path, _type(shape, kind), path, optional))
        if shape == "list":
            for i, one in enumerate(value[:2]):
                self._inner(f"{path}[{i}]", f"{optional}[?{i}]", kind, one)
        elif shape == "map":
            for key, one in list(value.items())[:6]:
                step = f".{key}" if IDENTIFIER.match(key) and self.dice.p(.5) else f"[{quoted(key)}]"
                self._inner(path + step, f"{optional}[?{quoted(key)}]", kind, one)
        elif kind not in TYPES and isinstance(value, dict):
            self._object(path, optional, kind, value)

    def _inner(self, path, optional, kind, value):
        if kind in TYPES:
            self.found.append((path, TYPES[kind], "" if path.endswith("]") else path, optional))
        elif isinstance(value, dict):
            self._object(path, optional, kind, value)


POD = {"metadata": "ObjectMeta", "spec": "PodSpec"}
NODE = {"metadata": "ObjectMeta", "spec": "NodeSpec"}
