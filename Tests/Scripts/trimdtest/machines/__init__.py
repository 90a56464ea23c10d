"""Machines and roots of a check's own."""
