"""What must occur in a run of the comparison, by the generation of its rules: expected_classic.py, expected_today.py."""
import expected_classic
import expected_today
from answers import path_of

CONFIGURATIONS = ["policy.json", "config.json"]  # A directory has one of them, and its generation is that one's.
PLAIN_RESOURCES = {"Too many pods", "Insufficient pods", "Insufficient cpu", "Insufficient memory",
                   "Insufficient ephemeral-storage"}


def generation(directory):
    """expected_today where the directory has a KubeSchedulerConfiguration, else expected_classic."""
    return expected_today if path_of(directory, "config.json") else expected_classic


def reason_class(rules, reason):
    """The reason without the names in it; one word for those of all scalar resources."""
    scalar = reason.startswith("Insufficient ") and reason not in PLAIN_RESOURCES
    return "Insufficient SCALAR" if scalar else rules.reason_class(reason)
