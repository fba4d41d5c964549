"""Stored runs: documents by atomic rename, beside a journal."""
