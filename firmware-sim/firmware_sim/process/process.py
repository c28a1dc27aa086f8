"""The process: signals advanced by fixed steps. Same description, seed and start give the same values.

Pure: time comes in as seconds, chance from generators seeded by name.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from math import exp, sqrt
from random import Random

from firmware_sim.process.signals import Controller, Integral, Lag, Limit, Product, Schedule, Setpoint, Signal

Step = Callable[[], float]


class Process:
    """Values of all signals at one moment. day_s: seconds since midnight when the process starts."""

    def __init__(self, signals: Sequence[Signal], *, step_s: float, seed: int, day_s: float) -> None:
        self.step_s = step_s
        self.steps_done = 0
        self._day_s = day_s
        self._seed = seed
        self._signals = {signal.name: signal for signal in signals}
        self._place = {name: index for index, name in enumerate(self._signals)}
        self._values = [_initial(signal) for signal in signals]
        self._set_start_values()
        self._steps = [
            (self._place[signal.name], step)
            for signal in signals
            if (step := self._compiled(signal)) is not None
        ]

    @property
    def elapsed_s(self) -> float:
        """Simulated seconds since the start."""
        return self.steps_done * self.step_s

    def value(self, name: str) -> float:
        return self._values[self._place[name]]

    def values(self) -> dict[str, float]:
        return dict(zip(self._place, self._values, strict=True))

    def reader(self, name: str) -> Step:
        """A function that returns the signal's value of the moment."""
        values, place = self._values, self._place[name]
        return lambda: values[place]

    def set(self, name: str, value: float) -> None:
        """Write a setpoint. Raises ValueError, with the rule, when its limits forbid the value."""
        signal = self._signals[name]
        if not isinstance(signal, Setpoint):
            raise ValueError(f"{name}: only a setpoint can be written")
        if not within(value, signal.min, signal.max):
            raise ValueError(f"{name}: must be from {signal.min} to {signal.max}")
        self._values[self._place[name]] = value

    def restart(self, name: str) -> None:
        """Give a setpoint the value of the description again."""
        signal = self._signals[name]
        if isinstance(signal, Setpoint):
            self._values[self._place[name]] = signal.value

    def step(self) -> None:
        """Advance by step_s."""
        self.steps_done += 1
        values = self._values
        for place, step in self._steps:
            values[place] = step()

    def _set_start_values(self) -> None:
        """Let lags without an initial value start where their inputs at the start put them."""
        for _ in range(3):  # loops of a plant are closed after a few passes; the rest is its own transient
            for name, signal in self._signals.items():
                place = self._place[name]
                if isinstance(signal, Schedule):
                    self._values[place] = self._scheduled(signal)()
                elif isinstance(signal, Product):
                    self._values[place] = self._product(signal)()
                elif isinstance(signal, Lag) and signal.initial is None:
                    self._values[place] = self._target(signal)()

    def _compiled(self, signal: Signal) -> Step | None:
        match signal:
            case Setpoint():
                return None
            case Schedule():
                return self._scheduled(signal)
            case Lag():
                return self._lag(signal)
            case Product():
                return self._product(signal)
            case Integral():
                return self._integral(signal)
            case Controller():
                return self._control(signal)
            case Limit():
                return self._limit(signal)

    def _scheduled(self, signal: Schedule) -> Step:
        steps = sorted(signal.steps)
        moments = [when * signal.unit_s for when, _ in steps]
        period_s = signal.period * signal.unit_s

        def step() -> float:
            moment = (self._day_s + self.elapsed_s) % period_s
            return steps[bisect_right(moments, moment) - 1][1]  # before the first step: the last one's value

        return step

    def _sum(self, of: Mapping[str, float]) -> Step:
        terms = [(self._place[name], gain) for name, gain in of.items()]
        values = self._values
        return lambda: sum(values[place] * gain for place, gain in terms)

    def _target(self, signal: Lag) -> Step:
        total = self._sum(signal.of)
        return lambda: held(signal.bias + total(), signal.min, signal.max)

    def _lag(self, signal: Lag) -> Step:
        target, values, place = self._target(signal), self._values, self._place[signal.name]
        share = 1 - exp(-self.step_s / signal.tau_s) if signal.tau_s else 1.0
        deviation = signal.noise * sqrt(self.step_s)
        gauss = Random(f"{self._seed}:{signal.name}").gauss  # noqa: S311 (a simulation)
        if not deviation:
            return lambda: values[place] + share * (target() - values[place])
        return lambda: values[place] + share * (target() - values[place]) + gauss(0, deviation)

    def _product(self, signal: Product) -> Step:
        places, values = [self._place[name] for name in signal.of], self._values

        def step() -> float:
            result = signal.gain
            for place in places:
                result *= values[place]
            return result

        return step

    def _integral(self, signal: Integral) -> Step:
        rate, values, place = self._sum(signal.of), self._values, self._place[signal.name]
        step_s = self.step_s
        return lambda: held(values[place] + rate() * step_s, signal.min, signal.max)

    def _control(self, signal: Controller) -> Step:
        measure, setpoint = self._place[signal.measure], self._place[signal.setpoint]
        values, share = self._values, signal.kp * self.step_s / signal.ti_s
        integral = signal.initial

        def step() -> float:
            nonlocal integral
            error = values[setpoint] - values[measure]
            output = signal.kp * error + integral + share * error
            if signal.min <= output <= signal.max:
                integral += share * error
            return held(output, signal.min, signal.max)

        return step

    def _limit(self, signal: Limit) -> Step:
        source, values, place = self._place[signal.of], self._values, self._place[signal.name]

        def step() -> float:
            back = signal.hysteresis if values[place] else 0.0
            value = values[source]
            over = signal.above is not None and value > signal.above - back
            under = signal.below is not None and value < signal.below + back
            return 1.0 if over or under else 0.0

        return step


def within(value: float, low: float | None, high: float | None) -> bool:
    """Whether a value lies between two limits that may be absent; NaN never does."""
    return value == value and (low is None or value >= low) and (high is None or value <= high)


def held(value: float, low: float | None, high: float | None) -> float:
    """A value brought within limits that may be absent."""
    if low is not None and value < low:
        return low
    return high if high is not None and value > high else value


def _initial(signal: Signal) -> float:
    match signal:
        case Setpoint():
            return signal.value
        case Lag() | Integral() | Controller():
            return signal.initial or 0.0
    return 0.0
