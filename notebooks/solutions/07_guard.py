from learn_compact import check


def my_guard(source, outcomes, max_failures):
    failures = 0
    for outcome in outcomes:
        failures = failures + 1 if outcome == "failed" else 0
    return source not in ("compact", "session_memory") and failures < max_failures


check.guard(my_guard)
