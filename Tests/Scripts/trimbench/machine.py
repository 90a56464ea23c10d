"""The machine, and what commands take of it: wall, CPU, memory, and the share of all cores that was busy."""
import glob, hashlib, multiprocessing, os, platform, statistics, subprocess, tempfile, threading, time


def described():
    """The processor, its cores, the kernel, and what else runs."""
    with open("/proc/cpuinfo") as file:
        model = next((line.split(":")[1].strip() for line in file if line.startswith("model name")), "?")
    with open("/proc/loadavg") as file:
        load = " ".join(file.read().split()[:3])
    version = subprocess.run(["ffmpeg", "-version"], capture_output=True, text=True).stdout.split("\n")[0]
    return f"machine: {model}, {os.cpu_count()} cores, Linux {platform.release()}; load before {load}; {version}"


def sync_seconds(folder, count=50):
    """The time of fsync of a new file of 4 KiB on a folder's disk: the median."""
    times = []
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        for number in range(count):
            with open(os.path.join(scratch, str(number)), "wb", buffering=0) as file:
                file.write(b"x" * 4096)
                began = time.monotonic()
                os.fsync(file.fileno())
                times.append(time.monotonic() - began)
    return statistics.median(times)


def pace():
    """CPU seconds that the same work takes right now, memory copied and hashed: on one core, and on each where all do it at once. Rows in
    seconds of CPU grow with it where a machine is shared, or where two of its processors are threads of one core."""
    # Elsewhere: what a process starts is said to have used as much memory as it has itself.
    with multiprocessing.get_context("fork").Pool(1) as pool:
        return pool.apply(paced)


def paced():
    source, block = bytearray(64 << 20), bytes(1 << 20)

    def work(times):
        began = time.thread_time()
        for _ in range(8):
            bytes(source)
        digest = hashlib.sha256()
        for _ in range(64):
            digest.update(block)
        times.append(time.thread_time() - began)

    alone, together = [], []
    work(alone)
    # Neither copying nor hashing holds the interpreter's lock for long.
    threads = [threading.Thread(target=work, args=(together,)) for _ in range(os.cpu_count())]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return alone[0], max(together)


def busy():
    """Seconds that all cores together have spent busy and idle since the machine's start."""
    with open("/proc/stat") as file:
        user, nice, system, idle, wait, irq, soft, steal = map(int, file.readline().split()[1:9])
    tick = os.sysconf("SC_CLK_TCK")
    return (user + nice + system + irq + soft) / tick, (idle + wait + steal) / tick


def cpu_of(pid):
    """CPU seconds of a process, and of its children that have ended."""
    with open(f"/proc/{pid}/stat") as file:
        return sum(map(int, file.read().rsplit(")", 1)[1].split()[11:15])) / os.sysconf("SC_CLK_TCK")


def cpu_below(pid):
    """CPU seconds of a process, its descendants, and those of them that have ended."""
    total = cpu_of(pid)
    for path in glob.glob(f"/proc/{pid}/task/*/children"):
        try:
            with open(path) as file:
                children = file.read().split()
        except OSError:
            continue
        for child in children:
            try:
                total += cpu_below(int(child))
            except OSError:
                pass
    return total


def resident(pid):
    """Bytes of memory that a process holds."""
    with open(f"/proc/{pid}/status") as file:
        return next((int(line.split()[1]) * 1024 for line in file if line.startswith("VmRSS:")), 0)


def measured(*commands, environment=None):
    """Wall, CPU and peak memory of commands, one after the other, with all their descendants; and the share of all cores that was busy.

    The memory is that of the largest process. The CPU is these commands' own, the share is everybody's. Nothing is looked at meanwhile:
    that would take time of those who use all cores.
    """
    busy_before, idle_before = busy()
    cpu, kib, began = 0, 0, time.monotonic()
    for command in commands:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=environment)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise subprocess.CalledProcessError(process.returncode, command)
        cpu, kib = cpu + used.ru_utime + used.ru_stime, max(kib, used.ru_maxrss)
    wall = time.monotonic() - began
    busy_after, idle_after = busy()
    spent = busy_after - busy_before
    return {"wall": wall, "cpu": cpu, "share": spent / max(0.01, spent + idle_after - idle_before), "kib": kib}
