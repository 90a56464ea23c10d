"""The parts that the checks beside this package share: paths, processes, a private trimd, and the report of faults."""
