"""What is on the shelves."""


class SoldOut(Exception):
    pass


class Stock:
    def __init__(self, counts: dict[str, int]) -> None:
        self._counts = dict(counts)

    def available(self, name: str) -> int:
        return self._counts[name]

    def take(self, name: str, count: int) -> None:
        """All of it or nothing."""
        if count > self.available(name):
            raise SoldOut(name)
        self._counts[name] -= count

    def give_back(self, name: str, count: int) -> None:
        self._counts[name] = self.available(name) + count

    def low(self, limit: int) -> list[str]:
        """Names of what should be ordered, the scarcest first."""
        scarce = [name for name, count in self._counts.items() if count <= limit]
        return sorted(scarce, key=lambda name: (self._counts[name], name))
