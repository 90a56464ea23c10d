"""The rows of the table: what was reached, beside the goal."""
import os, statistics

from .films import CACHE


class Bench:
    """One run: where the programs are, how often each row is measured, and the rows so far."""

    def __init__(self, programs, folder):
        self.programs, self.folder = programs, folder
        self.quick = bool(os.environ.get("QUICK"))
        self.rounds = int(os.environ.get("ROUNDS", "1" if self.quick else "3"))
        self.seconds = int(os.environ.get("SECONDS", "10" if self.quick else "60"))
        self.lines, self.missed = [], 0

    def program(self, name):
        return os.path.join(self.programs, name)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def row(self, what, value, goal, most=None, least=None, form="{:.2f}", unit=""):
        """A row with its goal: at most, or at least."""
        reached = value <= most if least is None else value >= least
        self.missed += not reached
        self.add(what, form.format(value) + unit, goal, "reached" if reached else "MISSED")

    def fact(self, what, text):
        """A figure without a goal of its own."""
        self.add(what, text, "", "")

    def skip(self, what, why):
        self.add(what, "skipped: " + why, "", "")

    def add(self, *line):
        self.lines.append(line)
        print("= " + "  ".join(filter(None, line)), flush=True)

    def rounds_of(self, runs):
        """Each of the runs, as often as there are rounds; who goes first changes, so that none always finds the machine warm."""
        results = []
        for number in range(self.rounds):
            names = list(runs) if number % 2 == 0 else list(reversed(runs))
            results.append({})
            for name in names:
                results[-1][name] = one = runs[name]()
                print("  {:7} wall {wall:7.2f} s  cpu {cpu:7.2f} s  cores {share:4.0%}  memory {kib:7d} KiB".format(name, **one), flush=True)
        return results

    def show(self):
        print("\n" + "-" * 100)
        widths = [max(len(line[column]) for line in self.lines) for column in range(3)]
        for line in self.lines:
            print("  ".join([line[0].ljust(widths[0]), line[1].rjust(widths[1]), line[2].ljust(widths[2]), line[3]]).rstrip())


def ratio(rounds, mine, other, key):
    """The median of the ratios within each round."""
    return statistics.median(one[mine][key] / one[other][key] for one in rounds)


def middle(rounds, name, key):
    """The median of one figure."""
    return statistics.median(one[name][key] for one in rounds)


__all__ = ["Bench", "CACHE", "middle", "ratio"]
