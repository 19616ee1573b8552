"""CEL selectors of classes and claims: good ones, and those that do not compile or fail on some devices."""
from generate.devices.words import MEMORY, MODELS, NUMA

BROKEN = ['device.driver ==', 'device.nosuch == 1', 'device.driver + 1 == 2', 'device.driver', 'nosuch(device)', '"a" < 1',
          'device.attributes["x"].y.z(']


def _careful(m, driver):
    """It holds or not, and fails on no device."""
    own = f'device.attributes["{driver}"]'
    return m.one([
        f'{own}.?model.orValue("") == "{m.one(MODELS)}"',
        f'has({own}.model) && {own}.model in ["a100", "t4"]',
        f'{own}.?index.orValue(100) < {m.between(1, 4)}',
        f'{own}.?healthy.orValue(false)',
        f'has({own}.driverVersion) && {own}.driverVersion.isGreaterThan(semver("1.1.0"))',
        f'has({own}.driverVersion) && {own}.driverVersion.major() == 2',
        f'device.attributes["{NUMA.split("/", maxsplit=1)[0]}"].?numa.orValue(9) == {m.between(0, 1)}',
        f'"memory" in device.capacity["{driver}"] && '
        f'device.capacity["{driver}"].memory.compareTo(quantity("{m.one(MEMORY)}")) >= 0',
        f'has(device.capacity["{driver}"].cores) && device.capacity["{driver}"].cores.isGreaterThan(quantity("2"))',
        'device.allowMultipleAllocations', '!device.allowMultipleAllocations', f'device.driver == "{driver}"', 'true',
        f'{own}.exists(name, name == "healthy")'])


def _careless(m, driver):
    """It fails on devices that lack what it names, or have it of another type."""
    own = f'device.attributes["{driver}"]'
    return m.one([
        f'{own}.model == "{m.one(MODELS)}"', f'{own}.index < 2', f'{own}.mixed > 1', f'{own}.mixed == "x"', f'{own}.mixed',
        f'{own}.driverVersion.isLessThan(semver("2.0.0"))', f'device.capacity["{driver}"].memory.isLessThan(quantity("20Gi"))',
        f'10 / {own}.index > 2', f'{own}.nosuch == 1', 'quantity(device.driver).isInteger()',
        f'semver({own}.model).major() == 1'])


def selector(m, driver):
    """One of a request or a class."""
    draw = m.r.random()
    wrong = m.rarely("selectors", .08, .004)
    if draw < wrong:
        return {"cel": {"expression": m.one(BROKEN)}}
    if draw < wrong + m.rarely("selectors", .2, .01):
        careless = _careless(m, driver)
        return {"cel": {"expression": f'device.driver == "{driver}" && {careless}' if m.p(.6) else careless}}
    if m.p(.005):
        return {}
    careful = _careful(m, driver)
    return {"cel": {"expression": f'device.driver == "{driver}" && {careful}' if m.p(.3) else careful}}
