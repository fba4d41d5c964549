"""From a spec to a run record: workers, rounds, slots; it records and never judges."""
