// Helpers of the scripts in this folder: they find processes, and wait for a condition.
import {readdirSync, readFileSync} from 'node:fs';

// The other processes of which `matches(read)` is true; read('cmdline') is the content of that file below /proc/PID.
export function processes(matches) {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return false;
    try {
      return matches((name) => readFileSync(`/proc/${pid}/${name}`, 'latin1'));
    } catch {
      return false;  // it has ended, or is another user's
    }
  });
}

// Returns whether the predicate became true within that time. Checks the predicate every few milliseconds.
export async function until(predicate, milliseconds) {
  const end = performance.now() + milliseconds;
  while (!predicate()) {
    if (performance.now() > end) return false;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return true;
}
