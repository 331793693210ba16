"""The figures of docs/reliability.md."""
