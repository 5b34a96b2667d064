"""Readers: from files and streams to tables and observations."""
