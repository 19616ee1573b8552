"""What must occur in a run of the comparison, by the generation of its rules: expected_classic.py, expected_removed.py,
expected_today.py, or expected_mixed.py for both of these; and expected_devices.py of today's about devices."""
import expected_classic
import expected_devices
import expected_mixed
import expected_removed
import expected_today
from answers import path_of, read_json

CONFIGURATIONS = ["policy.json", "config.json"]  # A directory has one of them, and its generation is that one's.
PLAIN_RESOURCES = {"Too many pods", "Insufficient pods", "Insufficient cpu", "Insufficient memory",
                   "Insufficient ephemeral-storage"}


def generation(directory):
    """expected_classic where the directory has no KubeSchedulerConfiguration, else the one whose plugins it names; where it
    names none, today's are on by default."""
    if not path_of(directory, "config.json"):
        return expected_classic
    if read_json(directory, "about.json", {}).get("subject") == "devices":
        return expected_devices
    named = set(_named(read_json(directory, "config.json")))
    if not named & {*expected_removed.FILTERS, *expected_removed.SCORES}:
        return expected_today
    return expected_mixed if named & {*expected_today.FILTERS, *expected_today.SCORES} else expected_removed


def _named(config):
    for profile in config.get("profiles", []):
        for plugins in profile.get("plugins", {}).values():
            yield from (plugin["name"] for plugin in plugins.get("enabled", []))


def option(directory):
    """The option of run.sh that makes clusters of the directory's generation, with a blank before it."""
    return {expected_removed: " --removed", expected_today: " --today", expected_devices: " --devices",
            expected_mixed: " --mixed"}.get(generation(directory), "")


def reason_class(rules, reason):
    """The reason without the names in it; one word for those of all scalar resources."""
    scalar = reason.startswith("Insufficient ") and reason not in PLAIN_RESOURCES
    return "Insufficient SCALAR" if scalar else rules.reason_class(reason)
