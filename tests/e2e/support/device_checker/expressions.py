"""The expressions that random claims select devices by: as the server reads them, and as the checker
does. `d` is a device of the model."""

from support.quantity import parse

DOMAIN = "random.example.com"


def _attribute(name):
    return f'device.attributes["{DOMAIN}"].{name}'


def _memory(d):
    return parse(d.capacity(f"{DOMAIN}/memory"))


# Text → what is true of a device. All devices have these attributes.
EXPRESSIONS = {
    "true": lambda d: True,
    f'{_attribute("model")} == "a"': lambda d: d.value("model") == "a",
    f'{_attribute("model")} in ["b", "c"]': lambda d: d.value("model") in ("b", "c"),
    f'!{_attribute("model")}.startsWith("c")': lambda d: d.value("model") != "c",
    f'{_attribute("numa")} == 0': lambda d: d.value("numa") == 0,
    f'{_attribute("numa")} >= 1 || {_attribute("healthy")}': lambda d: d.value("numa") >= 1
    or d.value("healthy"),
    f'{_attribute("healthy")}': lambda d: d.value("healthy"),
    f'{_attribute("driver")}.isGreaterThan(semver("1.9.0"))': lambda d: _numbers(d.value("driver"))
    > (1, 9, 0),
    f'device.capacity["{DOMAIN}"].memory.compareTo(quantity("16Gi")) >= 0': lambda d: _memory(d)
    >= parse("16Gi"),
    f'"{DOMAIN}" in device.attributes && "rare" in device.attributes["{DOMAIN}"]': lambda d: d.has(
        "rare"
    ),
}


def _numbers(version):
    return tuple(int(part) for part in version.split("."))


OF_DRIVER = 'device.driver == "'


def holds(text, device):
    if text.startswith(OF_DRIVER):
        return device.driver == text.removeprefix(OF_DRIVER).removesuffix('"')
    return EXPRESSIONS[text](device)
