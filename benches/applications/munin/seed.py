"""What Munin's gatherer would have kept of 28 machines in four groups: each with the services that its plugins ask for.

    seed.py FOLDER    # writes munin.conf and datafile"""

import os
import sys
from random import Random

FOLDER = sys.argv[1]
GROUPS = {"web": 9, "database": 6, "mail": 5, "build": 8}
LIMITS = ((), ("warning", "80"), ("critical", "95"))
# Plugin: category, title, label of the axis, what it is, fields with what they are.
COMMON = {
    "cpu": ("system", "CPU usage", "%", "This graph shows how CPU time is spent.", {
        "system": "CPU time spent by the kernel in system activities", "user": "CPU time spent by normal programs and daemons", "nice": "CPU time spent by nice(1)d programs",
        "idle": "Idle CPU time", "iowait": "CPU time spent waiting for I/O operations to finish when there is nothing else to do.", "irq": "CPU time spent handling interrupts",
        "softirq": "CPU time spent handling batched interrupts", "steal": "The time that a virtual CPU had runnable tasks, but the virtual CPU itself was not running"}),
    "load": ("system", "Load average", "load", "The load average of the machine describes how many processes are in the run-queue (scheduled to run immediately).", {"load": "5 minute load average"}),
    "uptime": ("system", "Uptime", "uptime in days", "Days since the machine was started.", {"uptime": ""}),
    "users": ("system", "Logged in users", "Users", "How many people have entered.", {"tty": "", "pty": "", "pts": "", "X": "", "other": "Logged in users by indeterminate method"}),
    "entropy": ("system", "Available entropy", "entropy (bytes)", "This graph shows the amount of entropy available in the system.", {"entropy": "The number of random bytes available. This is typically used by cryptographic applications."}),
    "interrupts": ("system", "Interrupts and context switches", "interrupts & ctx switches / ${graph_period}", "This graph shows the number of interrupts and context switches on the system.", {
        "intr": "Interrupts are events that alter sequence of instructions executed by a processor. They can come from either hardware or software.",
        "ctx": "A context switch occurs when a multitasking operatings system suspends the currently running process, and starts executing another."}),
    "memory": ("system", "Memory usage", "Bytes", "This graph shows what the machine uses memory for.", {
        "apps": "Memory used by user-space applications.", "page_tables": "Memory used to map between virtual and physical memory addresses.", "swap_cache": "A piece of memory that keeps track of pages that have been fetched from swap but not yet been modified.",
        "slab": "Memory used by the kernel (major users are caches like inode, dentry, etc).", "cached": "Parked file data (file content) cache.", "buffers": "Block device (e.g. harddisk) cache. Also where dirty blocks are stored until written.",
        "free": "Wasted memory. Memory that is not used for anything at all.", "swap": "Swap space used."}),
    "swap": ("system", "Swap in/out", "pages per ${graph_period} in (-) / out (+)", "Pages that went to and from swap.", {"swap_in": "", "swap_out": ""}),
    "processes": ("processes", "Processes", "Number of processes", "This graph shows the number of processes.", {
        "sleeping": "The number of sleeping processes.", "idle": "The number of idle kernel threads (>= 4.2 kernels only).", "stopped": "The number of stopped or traced processes.", "zombie": "The number of defunct (zombie) processes (process terminated and parent not waiting).",
        "dead": "The number of dead processes.", "runnable": "The number of runnable processes (on the run queue).", "uninterruptible": "The number of uninterruptible processes (usually IO).", "processes": "The total number of processes."}),
    "threads": ("processes", "Number of threads", "number of threads", "This graph shows the number of threads.", {"threads": "The current number of threads."}),
    "forks": ("processes", "Fork rate", "forks / ${graph_period}", "This graph shows the number of forks (new processes started) per second.", {"forks": "The number of forks per second."}),
    "vmstat": ("processes", "VMstat", "process states", "This graph shows the number of processes in certain states.", {"wait": "Processes that wait to run", "sleep": "Processes that wait for a device"}),
    "open_files": ("system", "File table usage", "number of open files", "This graph monitors the Linux open files table.", {"used": "The number of currently open files.", "max": "The maximum supported number of open files. Tune by modifying /proc/sys/fs/file-max."}),
    "open_inodes": ("system", "Inode table usage", "number of open inodes", "This graph monitors the Linux open inode table.", {"used": "The number of currently open inodes.", "max": "The size of the system inode table. This is dynamically adjusted by the kernel."}),
    "netstat": ("network", "Netstat, combined", "TCP connections", "This graph shows the TCP activity of all the network interfaces combined.", {
        "active": "The number of active TCP openings per second.", "passive": "The number of passive TCP openings per second.", "failed": "The number of failed TCP connection attempts per second.", "resets": "The number of TCP connection resets.",
        "established": "The number of currently open connections."}),
}
OWN = {
    "web": {
        "apache_accesses": ("apache", "Apache accesses", "accesses / ${graph_period}", "How often the server was asked.", {"port80": "Accesses by port 80"}),
        "apache_processes": ("apache", "Apache processes", "processes", "What the server's processes do.", {"busy80": "Busy servers on port 80", "idle80": "Idle servers on port 80", "free80": "Free slots on port 80"}),
        "apache_volume": ("apache", "Apache volume", "bytes per ${graph_period}", "How much was sent.", {"volume80": "Bytes by port 80"}),
        "squid_requests": ("squid", "Squid client requests", "requests / ${graph_period}", "What the cache was asked for.", {"hits": "Requests answered from the cache", "errors": "Requests that failed", "misses": "Requests handed on"}),
    },
    "database": {
        "mysql_queries": ("mysql", "MySQL queries", "queries / ${graph_period}", "Note that this is the number of queries by kind.", {kind: f"Queries of the kind {kind}" for kind in ("delete", "insert", "replace", "select", "update", "cache_hits")}),
        "mysql_threads": ("mysql", "MySQL threads", "threads", "Number of threads that serve queries.", {"threads": "Threads connected"}),
        "mysql_slowqueries": ("mysql", "MySQL slow queries", "slow queries / ${graph_period}", "Note that this is a counter of queries that took long.", {"queries": "Queries that took longer than long_query_time"}),
        "postgres_connections_db": ("postgresql", "PostgreSQL connections per database", "Active connections", "Number of connections", {name: f"Connections to {name}" for name in ("shop", "wiki", "postgres", "template1")}),
    },
    "mail": {
        "postfix_mailqueue": ("postfix", "Postfix Mailqueue", "Mails in queue", "Mails that wait by queue.", {"active": "active mails", "deferred": "deferred mails", "maildrop": "maildrop mails", "incoming": "incoming mails", "corrupt": "corrupt mails", "hold": "held mails"}),
        "postfix_mailvolume": ("postfix", "Postfix bytes throughput", "bytes / ${graph_period}", "How much mail went through.", {"volume": "throughput"}),
        "spamstats": ("spamfilter", "SpamAssassin stats", "mails / ${graph_period}", "What the filter took for spam.", {"spam": "spam found", "ham": "mails let through"}),
        "amavis": ("antivirus", "Amavis filter statistics", "mails / ${graph_period}", "What the scanner met.", {"total": "mails that were looked at", "virus": "mails with a virus", "spam": "mails that are spam", "ham": "mails that were passed on"}),
    },
    "build": {
        "ccache_calls": ("ccache", "Compiler calls", "calls / ${graph_period}", "How often sources were compiled or found.", {"hits": "results that were found", "misses": "sources compiled"}),
        "docker_containers": ("containers", "Containers", "containers", "Containers by state.", {"running": "containers that run", "paused": "containers that wait", "stopped": "containers that ended"}),
    },
}


def machines():
    for group, count in GROUPS.items():
        for number in range(1, count + 1):
            yield group, f"{group[:5]}{number:02}", Random(f"{group}{number}")


def services(group, chance):
    """Those of a machine: a plugin may be missing, and disks and networks differ."""
    found = {name: one for name, one in {**COMMON, **OWN[group]}.items() if chance.random() < 0.94}
    disks = {"sda1": "/", "sda2": "/boot", "sdb1": "/var", "sdb2": "/home", "sdc1": "/srv/data", "tmpfs": "/dev/shm"}
    kept = {name: f"{place} (ext4) -> /dev/{name}" for name, place in disks.items() if name == "sda1" or chance.random() < 0.6}
    found["df"] = ("disk", "Disk usage in percent", "%", "How full each file system is.", kept)
    found["df_inode"] = ("disk", "Inode usage in percent", "%", "How many of the inodes of each file system are used.", kept)
    found["iostat"] = ("disk", "IOstat", "blocks per ${graph_period} read (-) / written (+)", "This graph shows the I/O to and from block devices.", {f"{disk}_{way}": f"I/O on device {disk}" for disk in sorted({name[:3] for name in kept}) for way in ("read", "write")})
    for card in ("eth0", "eth1", "bond0")[:chance.randint(1, 3)]:
        found[f"if_{card}"] = ("network", f"{card} traffic", "bits in (-) / out (+) per ${graph_period}", f"This graph shows the traffic of the {card} network interface. Please note that the traffic is shown in bits per second, not bytes.", {"down": f"Received traffic on the {card} interface.", "up": f"Transmitted traffic on the {card} interface. Maximum speed is {chance.choice((100, 1000, 10000))} Mbits/s."})
        found[f"if_err_{card}"] = ("network", f"{card} errors", "packets in (-) / out (+) per ${graph_period}", f"This graph shows the amount of errors, packet drops, and collisions on the {card} network interface.", {"rcvd": "packets received", "trans": "packets sent"})
    return found


def main():
    lines = ["version 2.0.73"]
    with open(os.path.join(FOLDER, "munin.conf"), "w", encoding="utf-8") as file:
        for name, place in (("dbdir", "data"), ("htmldir", "www"), ("logdir", "log"), ("rundir", "run")):
            file.write(f"{name} {FOLDER}/{place}\n")
        file.write("tmpldir /etc/munin/templates\nstaticdir /etc/munin/static\ngraph_strategy cgi\nhtml_strategy cron\ncgiurl_graph /munin-cgi/munin-cgi-graph\n")
        for group, machine, _ in machines():
            file.write(f"[{group};{machine}.example.org]\n    address 127.0.0.1\n")
    for group, machine, chance in machines():
        for service, (category, title, label, info, fields) in services(group, chance).items():
            at = f"{group};{machine}.example.org:{service}"
            lines += [f"{at}.graph_title {title}", f"{at}.graph_vlabel {label}", f"{at}.graph_category {category}", f"{at}.graph_info {info}", f"{at}.graph_order {' '.join(fields)}"]
            for number, (field, told) in enumerate(fields.items()):
                lines += [f"{at}.{field}.label {field.replace('_', ' ')}", f"{at}.{field}.type {'DERIVE' if 'per' in label else 'GAUGE'}", f"{at}.{field}.graph_data_size normal", f"{at}.{field}.update_rate 300"]
                lines += [f"{at}.{field}.info {told}"] * bool(told)
                lines += [f"{at}.{field}.{limit[0]} {limit[1]}" for limit in LIMITS[1:] if (number + len(field)) % 3 == 0]
    with open(os.path.join(FOLDER, "data", "datafile"), "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


main()
