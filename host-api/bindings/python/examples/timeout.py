import wtool

result = wtool.run("sleep 600 & setsid sleep 600 & echo started; sleep 600", timeout=1)
print(result.error_code)  # timed_out
print(result.stdout, end="")  # started
# All three are dead now, the one in a session of its own too.
