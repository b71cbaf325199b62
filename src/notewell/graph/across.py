"""Links from one domain to another: what leads nowhere in its own store is looked for in all of them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from notewell.graph.edges import make_resolver, resolved
from notewell.store import Linked
from notewell.store.links import NOWHERE, TO_FILE, LinkEnds


def find_across(linked: Linked) -> Mapping[int, LinkEnds]:
    """Return where the links of notes lead that have a link to a note of another store, by the note's id.

    What a link names in its own store comes first, whatever others have.
    """
    edges, names = linked.edges(), linked.names()
    astray = (edges.targets == NOWHERE) | (edges.targets == TO_FILE)
    notes = np.unique(edges.sources[astray])
    if not notes.size:
        return {}
    found = resolved(linked, names, notes, make_resolver(linked, names, lambda: ()))
    ends: dict[int, LinkEnds] = {}
    for note, new in found.items():
        own = edges.sources == note
        targets, lost = edges.targets[own], astray[own]
        if len(new) == targets.size and (leads := lost & (new[:, 1] != NOWHERE)).any():
            ends[note] = np.stack((edges.hashes[own], np.where(leads, new[:, 1], targets)), axis=1)
    return ends
