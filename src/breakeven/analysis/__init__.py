"""From a run record to verdicts; it judges and never prints."""
