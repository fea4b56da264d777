"""Golden values of the decay engines at 60 digits; run `python make_decay.py > decay.jsonl` with mpmath installed."""

import json

from mpmath import exp, expm1, log, mp, mpf

mp.dps = 60


def emit(engine, truth, **inputs):
    print(json.dumps({"engine": engine, **inputs, "truth": mp.nstr(truth, 25)}))


for age in (0, 1, 1.5, 3600, 86_400, 2_592_000, 31_557_600, 3_155_760_000):
    for span in (1, 3600, 604_800, 2_592_000, 31_557_600):
        x = mpf(age) / span
        emit("half_life", mpf(2) ** -x, age=age, span=span)
        emit("ebbinghaus", mpf("0.25") + mpf("0.75") * exp(-x), age=age, span=span, floor=0.25)
        for decay in (0.1542, 0.5):
            factor = expm1(-log(mpf(9) / 10) / mpf(decay))
            emit("power_law", (1 + factor * x) ** -mpf(decay), age=age, span=span, decay=decay)
for distance in (0.0, 0.5, 2.0, 3.5, 10.0, 64.0):
    for decay in (0.1, 0.5, 0.9):
        x = max(mpf(distance) - mpf("0.5"), 0) / 2
        emit("gauss", mpf(decay) ** (x * x), distance=distance, decay=decay)
        emit("exp", mpf(decay) ** x, distance=distance, decay=decay)
        emit("linear", max(1 - x * (1 - mpf(decay)), mpf(0)), distance=distance, decay=decay)


def mean_power(near, far, decay):
    """Mean of t^-decay for t from near to far."""
    if near == far:
        return mpf(near) ** -decay
    if decay == 1:
        return log(mpf(far) / near) / (mpf(far) - near)
    return (mpf(far) ** (1 - decay) - mpf(near) ** (1 - decay)) / ((1 - decay) * (mpf(far) - near))


for ages in ([1], [60, 3600], [1, 86_400, 31_557_600], [5, 50, 500, 5000, 50_000, 500_000], [86_400] * 10):
    for decay in (0.1, 0.5, 0.8, 1.0, 1.5):
        exact = sum(mpf(age) ** -mpf(decay) for age in ages)
        emit("actr", log(exact), ages=ages, decay=decay)
        for older, lifetime in ((1, max(ages)), (50, max(ages) + 0.000001), (1_000, 63_115_200), (10**6, 10**9)):
            total = exact + older * mean_power(max(ages), lifetime, mpf(decay))
            emit("actr", log(total), ages=ages, decay=decay, older=older, lifetime=lifetime)
