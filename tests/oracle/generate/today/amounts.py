"""Amounts as an API server returns them: valid, in canonical form, cpu in thousandths and all else in units."""


def cpu(m):
    return m.one([0, 10, 50, 100, 100, 250, 500, 1000, 1500, 2000, m.between(0, 1500)])


def memory(m):
    return m.one([0, 1, 2**10, 64 * 2**20, 200 * 2**20, 512 * 2**20, 2**30, 100 * 10**6, 129 * 10**6, 3 * 2**29,
                  m.between(0, 2 * 10**9), m.between(0, 2000) * 2**20])


def spelled(m, resource, amount):
    """The amount in one of its canonical forms."""
    if resource == "cpu":
        return str(amount // 1000) if amount % 1000 == 0 else f"{amount}m"
    for size, suffix in ((2**30, "Gi"), (2**20, "Mi"), (2**10, "Ki"), (10**9, "G"), (10**6, "M"), (10**3, "k")):
        if amount and amount % size == 0 and m.p(.7):
            return f"{amount // size}{suffix}"
    return f"{amount // 10**6}e6" if amount and amount % 10**6 == 0 and m.p(.3) else str(amount)


def written(m, amounts):
    return {resource: spelled(m, resource, amount) for resource, amount in amounts.items()}
