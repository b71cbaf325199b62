"""How many requests an address may send: a bucket of tokens for each, that fills up again with time."""

from __future__ import annotations

from dataclasses import dataclass, field

# Addresses that are kept in mind; beyond, those whose buckets are full again are forgotten.
KEPT = 10_000
# Requests that may come at once, as seconds of the rate.
BURST_SECONDS = 2.0


@dataclass(slots=True)
class Rate:
    """So many requests a second from each address, and a burst of twice as many; 0 for no limit.

    >>> rate = Rate(per_second=0.5)
    >>> rate.wait("::1", now=0.0), rate.wait("::1", now=0.0), rate.wait("::1", now=2.0)
    (0.0, 2.0, 0.0)
    """

    per_second: float
    _buckets: dict[str, tuple[float, float]] = field(default_factory=dict)

    @property
    def burst(self) -> float:
        """Return how many requests may come at once."""
        return max(1.0, self.per_second * BURST_SECONDS)

    def wait(self, address: str, now: float) -> float:
        """Take a token; return 0, or the seconds until there is one again."""
        if not self.per_second:
            return 0.0
        left, at = self._buckets.get(address, (self.burst, now))
        left = min(self.burst, left + (now - at) * self.per_second)
        if left < 1:
            return (1 - left) / self.per_second
        self._forget(now)
        self._buckets[address] = left - 1, now
        return 0.0

    def _forget(self, now: float) -> None:
        if len(self._buckets) < KEPT:
            return
        full = self.burst / self.per_second
        self._buckets = {address: (left, at) for address, (left, at) in self._buckets.items() if now - at < full}
        if len(self._buckets) >= KEPT:
            # So many at once are an attack, and who comes from many addresses is not held by their rates.
            self._buckets.clear()
