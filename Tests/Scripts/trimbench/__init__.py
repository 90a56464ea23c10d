"""The benchmark's parts: what a machine does, the films, and the rows of the table, one module a kind."""
