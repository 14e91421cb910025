"""Addresses of mail."""


def split(address):
    name, at, host = address.rpartition("@")
    if not at or not name or not host:
        raise ValueError(f"not an address: {address!r}")
    return name, host.lower()


def join(name, host):
    return f"{name}@{host}"


def same(left, right):
    return split(left) == split(right)
