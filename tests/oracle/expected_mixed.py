"""What must occur in a run of the comparison with profiles of both generations: every plugin of either."""
import expected_removed
import expected_today
from expected_today import forms, kinds, reason_class

__all__ = ["FILTERS", "SCORES", "MOST", "REASONS", "reason_class", "kinds", "forms"]

FILTERS = expected_today.FILTERS + expected_removed.FILTERS
# Fewer nodes fit, so that some scores are rarer.
SCORES = {**expected_today.SCORES, **expected_removed.SCORES, "SelectorSpread": 40}
MOST = 100
REASONS = [*expected_today.REASONS, *(reason for reason in expected_removed.REASONS if reason not in expected_today.REASONS)]
