"""Starts programs as notebooks do: cell magics, exclamation marks, scripts, pip, and what is under them."""

# class m
# %%
shell = get_ipython()
COMMANDS = {
    "bash": lambda: shell.run_cell_magic("bash", "--out said", "id; cat /etc/shadow"),
    "script": lambda: shell.run_cell_magic("script", "python --out said", "print(1)"),
    "getoutput": lambda: shell.getoutput("id"),
    "system": lambda: shell.system("id > said"),
    "raw": lambda: shell.system_raw("id > said"),
    "sx": lambda: shell.run_line_magic("sx", "id"),
    "pip": lambda: shell.run_line_magic("pip", "install evil"),
}
for name, command in COMMANDS.items():
    try:
        if command() or shell.user_ns.get("said"):
            won(name)
    except (OSError, ValueError):
        pass
# %%
import os

for command in ("run /etc/passwd", "load /etc/passwd", "cat /etc/passwd", "writefile /tmp/evil.py", "logstart /tmp/evil.py"):
    name, _, rest = command.partition(" ")
    try:
        get_ipython().run_cell_magic(name, rest, "x") if name == "writefile" else get_ipython().run_line_magic(name, rest)
    except Exception:
        continue
    if os.path.exists("/tmp/evil.py"):
        won(name)
