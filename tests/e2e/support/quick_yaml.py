"""Reading long YAML files: as yaml.safe_load, by libyaml where it is there, which takes a seventh of
the time."""

import yaml

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def load(text):
    return yaml.load(text, Loader=LOADER)


def load_all(text):
    return yaml.load_all(text, Loader=LOADER)
