import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ticksPerSecond = 100;

/** Seconds of processor time that a Postgres server has taken so far, with all of its processes, also those that ended. */
export function cpuSecondsOf(server) {
  const postmaster = readFileSync(join(server.folder, 'data', 'postmaster.pid'), 'utf8').split('\n')[0];
  const times = statOf(postmaster);
  const children = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && parentOf(name) === postmaster);
  const ticks = children.map((pid) => statOf(pid)).reduce((sum, { own }) => sum + own, times.own + times.ended);
  return ticks / ticksPerSecond;
}

/** Resident memory that one more connection takes, in MB: what its process does not share with others. */
export function memoryOfBackends(server) {
  const postmaster = readFileSync(join(server.folder, 'data', 'postmaster.pid'), 'utf8').split('\n')[0];
  const backends = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && parentOf(name) === postmaster);
  const sizes = backends
    .filter((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('assay '))
    .map(
      (pid) => Number(/^Pss_Anon:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0) / 1_024,
    );
  return sizes.length === 0 ? 0 : sizes.reduce((sum, size) => sum + size, 0) / sizes.length;
}

function fieldsOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name is in brackets and may hold anything.
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}

function parentOf(pid) {
  return fieldsOf(pid)[1];
}

function statOf(pid) {
  const fields = fieldsOf(pid);
  const at = (index) => Number(fields[index] ?? 0);
  return { own: at(11) + at(12), ended: at(13) + at(14) };
}
