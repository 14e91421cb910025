"""Is there a way out? Runs inside a box only, where there is no network."""

# It asks the kernel, and nothing in between.
import errno
import os
import socket
import time

import pytest


@pytest.mark.parametrize("address", [("192.0.2.1", 80), ("198.51.100.7", 443), ("169.254.169.254", 80)])
def test_no_route(address):
    begun = time.monotonic()
    with socket.socket() as one, pytest.raises(OSError) as refused:
        one.settimeout(5)
        one.connect(address)
    assert refused.value.errno == errno.ENETUNREACH
    assert time.monotonic() - begun < 1


def test_no_route_for_ipv6_and_datagrams():
    with socket.socket(socket.AF_INET6) as one, pytest.raises(OSError):
        one.settimeout(5)
        one.connect(("2001:db8::1", 80))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one, pytest.raises(OSError):
        one.sendto(b"x", ("192.0.2.1", 53))


@pytest.mark.parametrize("name", ["example.com", "metadata.google.internal", "host.docker.internal"])
def test_names_are_not_found_and_quickly(name):
    begun = time.monotonic()
    with pytest.raises(socket.gaierror):
        socket.getaddrinfo(name, 80)
    assert time.monotonic() - begun < 2


def test_only_the_loopback():
    assert [
        name for _, name in socket.if_nameindex() if not name.startswith(("lo", "tunl", "sit", "ip6tnl"))
    ] == []


def test_interfaces_cannot_be_changed():
    import fcntl
    import struct

    with socket.socket() as one, pytest.raises(OSError):
        fcntl.ioctl(one, 0x8914, struct.pack("16sh14s", b"lo", 0, b""))


def test_no_socket_of_an_engine():
    for path in ("/var/run/docker.sock", "/run/docker.sock", "/run/containerd/containerd.sock", "/run/dbus"):
        assert not os.path.exists(path)
    found = []
    for folder, _, names in os.walk("/"):
        if folder.startswith(("/proc", "/sys", "/usr")):
            continue
        found += [os.path.join(folder, name) for name in names if name.endswith((".sock", ".socket"))]
    assert found == []
