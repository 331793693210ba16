"""Signals: filters, convolutions, peaks, linear systems in time."""
