"""What is taken off."""


def by_value(cents):
    if cents >= 10_000:
        return cents // 10
    if cents >= 5_000:
        return cents // 20
    return 0


def by_variety(cents, n_names):
    steps = max(0, n_names - 2)
    return min(cents, 50 * steps)


def best(cents, n_names):
    offers = [by_value(cents), by_variety(cents, n_names)]
    return max(offers)
