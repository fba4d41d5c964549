"""What became of a user's NumPy function on another library."""

from __future__ import annotations

from typing import Literal

import msgspec

from breakeven.model.finding import Location

Policy = Literal["strict", "bridge"]
Category = Literal[
    "missing-function",
    "missing-method-or-argument",
    "host-array-mixed-in",
    "object-or-structured-dtype",
    "in-place-on-immutable",
    "data-dependent-control-flow",
    "third-party-native-code",
    "unsupported-dtype",
    "out-of-memory",
    "timeout",
    "ran-on-host",
    "wrong-value",
    "dtype-narrowed",
    "error-of-the-function",
]
Reach = Literal["fully", "host_part", "failed", "preview"]


class FunctionSpec(msgspec.Struct, frozen=True, kw_only=True):
    """The user's function, and what it is called with.

    Attributes
    ----------
    target : str
        ``FILE.py:FUNC`` or ``package.module:FUNC``, as it was given.
    inputs : str or None
        Expression that gives the arguments for a size `n`; None where the function tells them.
    against : str or None
        A hand-written port, ``FILE.py:OTHER``.
    takes_namespace : bool
        Whether it is called with the array namespace (`xp`).
    rtol : float or None
        That the user allows; None lets the rule of agreement decide.
    compile : bool
        Whether PyTorch's compiled variant takes part as well.
    """

    target: str
    inputs: str | None = None
    against: str | None = None
    takes_namespace: bool = False
    policy: Policy = "strict"
    rtol: float | None = None
    compile: bool = False


class CallSite(msgspec.Struct, frozen=True, kw_only=True):
    """One call of an array library at one line of the function, in one call of the function.

    Attributes
    ----------
    name : str
        NumPy's name of it, such as ``numpy.linalg.norm`` or ``ndarray.sum``.
    calls : int
        Times that the line made it.
    seconds : float or None
        Host time of these calls, the device awaited after each; None where it was not timed.
    to_device_bytes, to_host_bytes : int
        That it moved.
    synchronised : int
        Times that it waited for the device.
    bridged : int
        Times that NumPy did it in the library's stead.
    slow : bool
        Whether it went by the slow way of the facade.
    """

    location: Location
    name: str
    calls: int = 0
    seconds: float | None = None
    to_device_bytes: int = 0
    to_host_bytes: int = 0
    synchronised: int = 0
    bridged: int = 0
    slow: bool = False


class PortFailure(msgspec.Struct, frozen=True, kw_only=True):
    """Why a function did not run on a library.

    Attributes
    ----------
    phase : str
        ``scan``, ``import``, ``first_call``, ``check`` or ``measure``.
    name : str or None
        NumPy's name of what broke it.
    argument : str or None
        The argument that broke it.
    reached, of : int or None
        Line of the function that was reached, and how many it has.
    available, calls : int or None
        NumPy calls of the function that the library has, of how many.
    suggestion : str or None
        An edit that would mend it.
    others : tuple of str
        Entries that got further.
    frames : tuple of Location
        The user's own frames, outermost first.
    """

    phase: Literal["scan", "import", "first_call", "check", "measure"]
    category: Category
    message: str
    location: Location | None = None
    name: str | None = None
    argument: str | None = None
    reached: int | None = None
    of: int | None = None
    available: int | None = None
    calls: int | None = None
    suggestion: str | None = None
    others: tuple[str, ...] = ()
    frames: tuple[Location, ...] = ()


class Compiled(msgspec.Struct, frozen=True, kw_only=True):
    """What compiling a function took.

    Attributes
    ----------
    graphs : int or None
        Into which it was cut.
    breaks : tuple of str
        Reasons of the cuts, each with its line.
    """

    seconds: float
    graphs: int | None = None
    breaks: tuple[str, ...] = ()


class Ported(msgspec.Struct, frozen=True, kw_only=True):
    """How far one entry got with the function at one size.

    Attributes
    ----------
    reach : str
        ``fully`` (all answers on the device, nothing bridged, kernels seen), ``host_part``,
        ``failed``, or ``preview`` (told from names alone).
    kernels : int or None
        That were seen; None where nothing could see them.
    answers_on : tuple of str
        Where the answers lay, such as ``cuda:0``.
    outside : tuple of str
        What was seen besides: dtypes that changed, arguments that were altered, ties.
    facade_s : float or None
        What the facade added to one call of the function.
    """

    workload: str
    entry: str
    size: int
    reach: Reach
    sites: tuple[CallSite, ...] = ()
    failure: PortFailure | None = None
    kernels: int | None = None
    answers_on: tuple[str, ...] = ()
    outside: tuple[str, ...] = ()
    compiled: Compiled | None = None
    facade_s: float | None = None
