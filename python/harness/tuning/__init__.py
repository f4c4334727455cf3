"""Tunes a callable of this program: harness decides what is tried next, this package compiles, judges and times it.

The manual is docs/callables.md. What is measured here is measured in the caller's own process.
"""
